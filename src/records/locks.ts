// The order in which records are locked. Two writers that lock the same records in the same order wait for each other; in another order
// each waits for the other, until PostgreSQL fails one of them after a second. So what a change will touch besides the record itself is
// locked before it: these take the place of the verb `lock`.
import { type Ctx, query } from "../core/context.ts";
import type { Field } from "../core/field.ts";
import { from, type Resource, type Row } from "../core/resource.ts";
import { name, sql, statement } from "../db/sql.ts";
import { lockRecord } from "./records.ts";
import { lockToChange } from "./references.ts";

type Lock = <R extends Resource>(of: R) => (ctx: Ctx, id: string) => Promise<Row<R>>;

/** For records that stand in an order, and for those of which one must stay: all of the kind come first. */
export const lockBehindAll: Lock = (of) => async (ctx, id) => {
  await lockToChange(ctx, of, sql`true`);
  return lockRecord(ctx, of, id);
};

/** For records that are changed together with what they name in `field`: that comes first, whoever may see it. */
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
