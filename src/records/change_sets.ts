// What a later undo needs of a write: what it deleted, and the change set that the client named. `resources/change_sets/` undoes it.
import { type Ctx, transactionOf, write } from "../core/context.ts";
import type { Around } from "../core/perform.ts";
import { noteRemovals, notesOf, type Removal } from "./removal_notes.ts";

/** Put around a write that an undo is to find. Tools keep the bytes of files, as agents name no change sets. `changeSet` is the client's name for all it changes in a while, or null. */
export const undoable =
  (changeSet: string | null): Around =>
  async (ctx, _call, act) => {
    if (changeSet !== null) joinChangeSet(ctx, changeSet);
    return keepingRemovals(ctx, changeSet !== null || ctx.request.byTool === true, act);
  };

/** Keeps what `act` deletes, for an undo by the id of the request. `withBytes` keeps the bytes of files too. */
export async function keepingRemovals<T>(ctx: Ctx, withBytes: boolean, act: () => Promise<T> | T): Promise<T> {
  const removal = notesOf(ctx) ?? noteRemovals(ctx);
  const before = sizeOf(removal);
  const answered = await act();
  // An undo deletes what was created. It keeps all that it deletes, as it can be undone too.
  const isUndo = ctx.meta.undoes !== undefined;
  if (sizeOf(removal) > before) keep(ctx, removal, withBytes || isUndo);
  return answered;
}

const sizeOf = ({ removed, lost }: Removal): number => removed.length + lost.length;

function joinChangeSet(ctx: Ctx, changeSet: string): void {
  ctx.meta.change_set = changeSet;
  write(ctx, {
    name: "change_set.join",
    text: `insert into change_set_request (organization_id, user_id, name, request_id, date_created)
           values ($1, $2, $3, $4, $5) on conflict do nothing`,
    values: [ctx.organization_id, ctx.actor.user_id, changeSet, ctx.request.id, ctx.now],
  });
}

/** The most characters that are kept of one deletion with all that went along. What deletes more cannot be undone. */
export const keptMost = 10_000_000;

function keep(ctx: Ctx, removal: Removal, withBytes: boolean): void {
  const kept = JSON.stringify(removal);
  if (kept.length > keptMost) return;
  if (withBytes) keepBytes(ctx, removal);
  write(ctx, {
    name: "change_set.keep",
    text: `insert into kept_removal (organization_id, request_id, kept, date_created) values ($1, $2, $3, $4)
           on conflict (organization_id, request_id) do update set kept = excluded.kept`,
    values: [ctx.organization_id, ctx.request.id, kept, ctx.now],
  });
}

/** Longer than anything can be undone. */
const bytesKeptFor = "38 days";

/** The bytes of removed files are removed later. Files that come back take them back. */
export function keepBytes(ctx: Ctx, { removed }: Removal): void {
  const keys = removed.flatMap(({ rows }) => rows.flatMap((row) => (row as { storage_key?: string }).storage_key ?? []));
  if (keys.length === 0) return;
  transactionOf(ctx).write({
    name: "stored_bytes.keep_for_undo",
    text: `update stored_bytes_removal set due = $3::timestamptz + interval '${bytesKeptFor}' where organization_id = $1 and storage_key = any($2)`,
    values: [ctx.organization_id, keys, ctx.now],
  });
}
