// Brings back what a request deleted.
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { kindOf, type Resource, type Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import type { Removal } from "../../records/removal_notes.ts";
import { bringBack } from "../bulk_actions/bring_back.ts";
import type { Past } from "./past.ts";
import { checkRight, refuseAdministration } from "./rights.ts";

/** Returns the ids of what is there again, and in words what is not. */
export async function restore(
  ctx: Ctx,
  removal: Removal | null,
  deleted: readonly Past[],
): Promise<{ back: Set<string>; without: string[] }> {
  const along = new Set(removal?.removed.flatMap(({ rows }) => rows.map((row) => (row as Named).id)));
  const hidden = deleted.filter(({ of, object_id }) => restoring.has(of.name) && !along.has(object_id));
  for (const { of, object_id } of hidden) await ctx.registry.operation(restoring.get(of.name)!)!.run(ctx, { id: object_id });
  if (hidden.length === deleted.length) return { back: new Set(hidden.map(({ object_id }) => object_id)), without: [] };

  for (const { of } of deleted) checkUndoable(ctx, of);
  if (removal === null) throw invalid({}, "what it was is not kept, or not any more");
  for (const { of, rows } of removal.removed) checkKind(ctx, ctx.registry.resource(of)!, rows, deleted);
  const { of, rows } = removal.removed.at(-1)!;
  const there = await findRecords(ctx, ctx.registry.resource(of)!, [sql`t.id = any(${rows.map((row) => (row as Named).id)})`]);
  if (there.length > 0) throw invalid({}, "is there again");

  const { kept, lost } = await withBytes(ctx, removal);
  const without = [...(await bringBack(ctx, kept)), ...lost.map((name) => `the file ${name}, whose bytes are gone`)];
  return { back: new Set(kept.removed.flatMap((group) => group.rows.map((row) => (row as Named).id))), without };
}

/** Refuses what no undo brings back, and says so also where nothing of it is kept. */
function checkUndoable(ctx: Ctx, of: Resource): void {
  if (of.name === "custom_field") throw invalid({}, "its values are removed with it, and cannot be brought back");
  refuseAdministration(ctx, of);
}

/** What is only hidden when it is deleted, and the operation that shows it again. */
const restoring: ReadonlyMap<string, string> = new Map([["conversation", "conversation.restore"]]);

type Named = { id: string; name?: string; storage_key?: string };

/** What the request named needs the right to delete it. What belonged to it needs none. */
function checkKind(ctx: Ctx, of: Resource, rows: readonly object[], deleted: readonly Past[]): void {
  if (of.event === null) return;
  const path = String(deleted[0]!.events[0]!.meta.request_path);
  const named = rows.filter((row) => path.includes((row as Named).id));
  for (const row of named) checkRight(ctx, kindOf(of, row as Row<Resource>), "delete");
}

/** The files whose bytes are removed, or are being removed, stay away. Those that are kept are due weeks later. */
async function withBytes(ctx: Ctx, removal: Removal): Promise<{ kept: Removal; lost: string[] }> {
  const keys = removal.removed.flatMap(({ rows }) => rows.flatMap((row) => (row as Named).storage_key ?? []));
  if (keys.length === 0) return { kept: removal, lost: [] };
  const found = await query(
    ctx,
    statement(
      sql`select r.storage_key from stored_bytes_removal r
        where r.organization_id = ${ctx.organization_id} and r.storage_key = any(${keys}) and r.due > now() + interval '1 day' for update`,
    ),
  );
  const there = new Set(found.map(([key]) => key));
  const isLost = (row: object) => (row as Named).storage_key !== undefined && !there.has((row as Named).storage_key!);
  const lost = removal.removed.flatMap(({ rows }) => rows.filter(isLost).map((row) => String((row as Named).name)));
  const removed = removal.removed.map(({ of, rows }) => ({ of, rows: rows.filter((row) => !isLost(row)) }));
  return { kept: { ...removal, removed }, lost };
}
