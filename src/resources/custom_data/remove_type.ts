// Deletes a type of custom activities or objects with all of its records: in the request if they are few, in the background if
// they are many. In the background, readers no longer see the type at once, but its row stays until its last record is deleted.
import { type Ctx, query, write } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Pointer } from "../../core/registry.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { name, or, sql, statement } from "../../db/sql.ts";
import { emit } from "../../records/event.ts";
import { findRecords } from "../../records/records.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { isId } from "../../values/id.ts";
import { beginChange, recordsAtOnce } from "./begin_change.ts";
import { customField } from "./custom_field.ts";

export async function removeType(ctx: Ctx, of: Resource, before: Row<Resource>): Promise<void> {
  const found = await idsOf(ctx, recordsOf(ctx, of), before.id, recordsAtOnce + 1);
  if (found.length <= recordsAtOnce) return store.remove(ctx, of, [before]);

  if (ctx.request.byTool)
    throw invalid(
      {},
      `It has more than ${recordsAtOnce} records: what is deleted of so many does not come back, so do it by REST.`,
    );
  await store.remove(ctx, customField, await fieldsOf(ctx, of, before.id));
  emit(ctx, of, { action: "deleted", before });
  // Its name becomes free for another.
  write(
    ctx,
    statement(sql`update ${name(of.table)} set is_deleted = true, name = id, version = version + 1
      where organization_id = ${ctx.organization_id} and id = ${before.id}`),
  );
  beginChange(ctx, { type_id: before.id });
}

/** The most records of one transaction. Each is deleted with everything that belongs to it. */
const removedAtOnce = 200;

/** Deletes some records of a deleted type, and the type when there are no more. Returns whether there may be more. */
export async function removeSomeRecords(ctx: Ctx, typeId: string): Promise<boolean> {
  const of = ctx.registry.resources.find((one) => one.deleted !== undefined && isId(one.prefix, typeId))!;
  const records = recordsOf(ctx, of);
  const ids = await idsOf(ctx, records, typeId, removedAtOnce);
  await store.remove(ctx, records.from, await lockWhere(ctx, records.from, sql`t.id = any(${ids})`));
  if (ids.length === removedAtOnce) return true;
  write(ctx, statement(sql`delete from ${name(of.table)} where organization_id = ${ctx.organization_id} and id = ${typeId}`));
  return false;
}

const pointersOf = (ctx: Ctx, of: Resource): readonly Pointer[] => ctx.registry.pointersTo(of.name);

/** How the records of a type refer to it. */
const recordsOf = (ctx: Ctx, of: Resource): Pointer =>
  pointersOf(ctx, of).find(({ from, rule }) => rule.onDelete === "cascade" && from !== customField)!;

const fieldsOf = (ctx: Ctx, of: Resource, id: string): Promise<Row<typeof customField>[]> => {
  const columns = pointersOf(ctx, of).filter(({ from }) => from === customField);
  return findRecords(ctx, customField, [or(columns.map(({ field }) => sql`t.${name(field)} = ${id}`))]);
};

/** The latest records, in the order of an index. */
async function idsOf(ctx: Ctx, { from, field }: Pointer, typeId: string, limit: number): Promise<string[]> {
  const rows = await query(
    ctx,
    statement(sql`select t.id from ${name(from.table)} t where t.organization_id = ${ctx.organization_id} and t.${name(field)} = ${typeId}
      order by t.date_created desc, t.id desc limit ${limit}`),
  );
  return rows.map(([id]) => id!);
}
