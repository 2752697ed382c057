// The records on a list: adding them, removing one, and keeping them when two records are merged.
import { type Ctx, query, userOf, write } from "../../core/context.ts";
import { name, type Sql, sql, statement } from "../../db/sql.ts";
import { idMoment } from "../../records/rehearse.ts";
import { notesOf } from "../../records/removal_notes.ts";
import { newId } from "../../values/id.ts";
import { type Listed, memberCount } from "./list_fields.ts";

const tableOf = (of: Listed): Sql => name(`${of}_list_member`);
const columnOf = (of: Listed): Sql => name(`${of}_id`);

/** Adds records to a list, and returns the ids of those that were not on it. All of them must exist. */
export async function addMembers(ctx: Ctx, of: Listed, listId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await query(
    ctx,
    statement(sql`insert into ${tableOf(of)} (organization_id, id, list_id, ${columnOf(of)}, created_by, updated_by, date_created, date_updated)
      select ${ctx.organization_id}, n.id, ${listId}, n.member, ${userOf(ctx)}, ${userOf(ctx)}, ${ctx.now}::timestamptz, ${ctx.now}::timestamptz
      from unnest(${ids.map(() => newId(`${of[0]}lmem`, idMoment(ctx)))}::text[], ${ids}::text[]) n(id, member)
      on conflict do nothing returning ${columnOf(of)}`),
  );
  return rows.map(([id]) => id!);
}

/** Removes a record from a list. False when it was not on it. */
export async function removeMember(ctx: Ctx, of: Listed, listId: string, id: string): Promise<boolean> {
  const removed = await query(
    ctx,
    statement(sql`delete from ${tableOf(of)} where organization_id = ${ctx.organization_id}
      and list_id = ${listId} and ${columnOf(of)} = ${id} returning id`),
  );
  return removed.length > 0;
}

export async function countMembers(ctx: Ctx, of: Listed, listId: string): Promise<number> {
  const [row] = await query(ctx, statement(sql`select ${memberCount(ctx, of, sql`${listId}`)}`));
  return Number(row![0]);
}

/** Call it before a list is deleted. */
export const removeAllMembers = (ctx: Ctx, of: Listed, listId: string): Promise<void> =>
  drop(ctx, of, sql`m.list_id = ${listId}`);

/** Call it before two records are merged. Where both are on a list, the other one is already there. */
export const leaveSharedLists = (ctx: Ctx, of: Listed, gone: string, kept: string): Promise<void> =>
  drop(
    ctx,
    of,
    sql`m.${columnOf(of)} = ${gone} and exists (select from ${tableOf(of)} k where k.organization_id = ${ctx.organization_id}
      and k.list_id = m.list_id and k.${columnOf(of)} = ${kept})`,
  );

/** A list may have very many members. They are deleted in one statement, without events; an undo finds them in the notes. */
async function drop(ctx: Ctx, of: Listed, condition: Sql): Promise<void> {
  const gone = sql`from ${tableOf(of)} m where m.organization_id = ${ctx.organization_id} and ${condition}`;
  const notes = notesOf(ctx);
  if (notes !== null) {
    const rows = await query(ctx, statement(sql`select row_to_json(m) ${gone} for update`));
    notes.removed.push({ of: `${of}_list_member`, rows: rows.map(([row]) => JSON.parse(row!)) });
  }
  write(ctx, statement(sql`delete ${gone}`));
}
