// The order in which records are locked. Two writers that lock the same records in different orders wait for each other, until
// PostgreSQL fails one of them after a second. So other records that a change will touch are locked before the record itself.
// These functions take the place of the verb `lock`.
import { type Ctx, query } from "../core/context.ts";
import type { Field } from "../core/field.ts";
import { from, type Resource, type Row } from "../core/resource.ts";
import { name, sql, statement } from "../db/sql.ts";
import { lockRecord } from "./records.ts";
import { lockToChange } from "./references.ts";

type Lock = <R extends Resource>(of: R) => (ctx: Ctx, id: string) => Promise<Row<R>>;

/** For records with an order among them, and for kinds of which one must remain: all records of the kind are locked first. */
export const lockBehindAll: Lock = (of) => async (ctx, id) => {
  await lockToChange(ctx, of, sql`true`);
  return lockRecord(ctx, of, id);
};

/** For records that are changed together with the record in `field`: that one is locked first, whoever may see it. */
export const lockBehindParent =
  <R extends Resource>(of: R, field: string) =>
  async (ctx: Ctx, id: string): Promise<Row<R>> => {
    const parent = ctx.registry.resource((of.fields[field] as Field).ref!.to)!;
    await query(
      ctx,
      statement(sql`select 1 from ${from(parent, "p")} join ${from(of, "t")} on t.${name(field)} = p.id
        where p.organization_id = ${ctx.organization_id} and t.organization_id = ${ctx.organization_id} and t.id = ${id} for update of p`),
    );
    return lockRecord(ctx, of, id);
  };
