// Brings back what a request deleted.
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { kindOf, type Resource, type Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import type { Removal } from "../../records/removal_notes.ts";
import { bringBack } from "../bulk_actions/bring_back.ts";
import { keepValues } from "../custom_data/change_values.ts";
import { type CustomField, customField } from "../custom_data/custom_field.ts";
import { placesOf } from "../custom_data/field_values.ts";
import type { Past } from "./past.ts";
import { checkRight, isDeletedByHand, refuseAdministration } from "./rights.ts";

/** What one request deleted in one go, or null where that is not kept; and which of its records have events. */
export interface Deleted {
  removal: Removal | null;
  pasts: Past[];
}

/** An undo deletes one thing after the other. What it deleted last comes back first. */
export function partsOf(removal: Removal | null, deleted: readonly Past[]): Deleted[] {
  const { removed: all, lost: everyLost } = removal ?? { removed: [], lost: [] };
  const numbers = [...new Set([...all, ...everyLost].map(({ part }) => part))].sort((a = 0, b = 0) => a - b);
  const parts = numbers.map((part): Deleted => {
    const removed = all.filter((one) => one.part === part);
    const lost = everyLost.filter((one) => one.part === part);
    const ids = idsOf(removed);
    return { removal: { removed, lost }, pasts: deleted.filter(({ object_id }) => ids.has(object_id)) };
  });
  const kept = new Set(parts.flatMap(({ pasts }) => pasts));
  const others = deleted.filter((one) => !kept.has(one)).map((one) => ({ removal: null, pasts: [one] }));
  const isKept = ({ removal, pasts }: Deleted) => pasts.length > 0 || removal!.removed.length === 0;
  return [...parts.filter(isKept), ...others].reverse();
}

const idsOf = (removed: Removal["removed"]): Set<string> =>
  new Set(removed.flatMap(({ rows }) => rows.map((row) => (row as Named).id)));

/** Returns the ids of what is there again, and in words what is not. */
export async function restore(ctx: Ctx, { removal, pasts }: Deleted): Promise<{ back: Set<string>; without: string[] }> {
  if (removal === null) return show(ctx, pasts);
  // An undo gave it back without an event, such as the place on a list that a merge had moved.
  if (removal.removed.length === 0) {
    await bringBack(ctx, removal);
    return { back: new Set(), without: [] };
  }
  // With its type, a field goes together with the records that hold its values.
  const { part, of: last } = removal.removed.at(-1)!;
  const isWhole = part !== undefined || last !== customField.name;
  for (const { of } of pasts) checkUndoable(ctx, of, isWhole);
  for (const group of removal.removed) checkKind(ctx, group, removal.removed.at(-1) === group, pasts);
  const { of, rows } = removal.removed.at(-1)!;
  const there = await findRecords(ctx, ctx.registry.resource(of)!, [sql`t.id = any(${rows.map((row) => (row as Named).id)})`]);
  if (there.length > 0) throw invalid({}, "is there again");

  const { kept, lost } = await withBytes(ctx, removal);
  const without = [...(await bringBack(ctx, kept)), ...lost.map((name) => `the file ${name}, whose bytes are gone`)];
  for (const { of, rows } of kept.removed)
    if (of === customField.name) for (const row of rows as CustomField[]) await keepValues(ctx, row, placesOf(row));
  return { back: idsOf(kept.removed), without };
}

/** What is only hidden when it is deleted is shown again. */
async function show(ctx: Ctx, pasts: readonly Past[]): Promise<{ back: Set<string>; without: string[] }> {
  for (const { of, object_id } of pasts) {
    checkUndoable(ctx, of, false);
    const restoring = restorings.get(of.name);
    if (restoring === undefined) throw invalid({}, "what it was is not kept, or not any more");
    await ctx.registry.operation(restoring)!.run(ctx, { id: object_id });
  }
  return { back: new Set(pasts.map(({ object_id }) => object_id)), without: [] };
}

/** Refuses what no undo brings back, and says so also where nothing of it is kept. An undo deletes only fields without values. */
function checkUndoable(ctx: Ctx, of: Resource, isWhole: boolean): void {
  if (of.name === customField.name && !isWhole) throw invalid({}, "its values are removed with it, and cannot be brought back");
  refuseAdministration(ctx, of);
}

/** What is only hidden when it is deleted, and the operation that shows it again. */
const restorings: ReadonlyMap<string, string> = new Map([["conversation", "conversation.restore"]]);

type Named = { id: string; name?: string; storage_key?: string };

/** What the request named needs the right to delete it, as does what an undo deleted. What belonged to it needs none. */
function checkKind(
  ctx: Ctx,
  { of: name, rows, part }: Removal["removed"][number],
  isLast: boolean,
  pasts: readonly Past[],
): void {
  const of = ctx.registry.resource(name)!;
  if (of.event === null) return;
  const path = String(pasts[0]!.events[0]!.meta.request_path);
  for (const row of rows) {
    const kind = kindOf(of, row as Row<Resource>);
    const isNamed = part === undefined ? path.includes((row as Named).id) : isLast && isDeletedByHand(ctx, kind);
    if (isNamed) checkRight(ctx, kind, "delete");
  }
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
