// How far a bulk action is: what became of its items, its counters, and its end.
import { type Ctx, query, write } from "../../core/context.ts";
import { type Job, release } from "../../jobs/job.ts";
import { store } from "../../records/store.ts";
import { notify } from "../notifications/notify.ts";
import { bulkAction } from "./bulk_action.ts";
import { type BulkAction, type Done, gone, type Item } from "./doing.ts";
import { offerUndoAgain } from "./offer_undo.ts";

/** The action names its first failures. The list of its items has all of them. */
export const errorsMost = 100;

/** Writes what became of the first items. Returns how many they are of each state, and which failed. */
export function writeDone(ctx: Ctx, items: readonly Item[], done: readonly Done[]) {
  const taken = items.slice(0, done.length);
  write(ctx, {
    name: "bulk_action_item.done",
    text: `update bulk_action_item t set status = m.status, error = m.error, address = m.address, kept = m.kept, date_updated = $3, version = t.version + 1
           from json_to_recordset($2::json) m(id text, status text, error text, address text, kept jsonb)
           where t.organization_id = $1 and t.id = m.id`,
    values: [ctx.organization_id, JSON.stringify(taken.map(({ id }, i) => ({ id, ...done[i] }))), ctx.now],
  });
  const count = (status: Done["status"]) => done.filter((one) => one.status === status).length;
  const failures = taken.flatMap(({ object_id }, i) =>
    done[i]!.status === "failed" ? [{ object_id, error: done[i]!.error ?? "" }] : [],
  );
  return { taken, count, failures };
}

/** The same for a bulk action, with its counters. */
export function noteDone(ctx: Ctx, action: BulkAction, items: readonly Item[], done: readonly Done[]): BulkAction {
  if (done.length === 0) return action;
  const { taken, count, failures } = writeDone(ctx, items, done);
  const values = {
    n_objects_processed: action.n_objects_processed + done.length,
    n_leads_processed: action.n_leads_processed + taken.filter(({ opens_lead }) => opens_lead).length,
    n_succeeded: action.n_succeeded + count("succeeded"),
    n_skipped: action.n_skipped + count("skipped"),
    n_failed: action.n_failed + count("failed"),
    errors: [...action.errors, ...failures].slice(0, errorsMost),
  };
  return store.update(ctx, bulkAction, action, values, undefined, null) as BulkAction;
}

/** All items are done. */
export async function finish(ctx: Ctx, job: Job, action: BulkAction): Promise<false> {
  const values = { status: "done", date_completed: ctx.now.toISOString() } as const;
  store.update(ctx, bulkAction, action, values, undefined, "completed");
  if (action.kind === "undo" && (await hasLeftSome(ctx, action))) await offerUndoAgain(ctx, action);
  tell(ctx, action, `Your bulk action is done: ${action.n_succeeded} of ${action.n_objects} records`, leftOver(action));
  release(ctx, job, null);
  return false;
}

/** Whether an item failed, or its author did not see it, or nobody does. Another undo may succeed. */
async function hasLeftSome(ctx: Ctx, { id, n_skipped, n_failed }: BulkAction): Promise<boolean> {
  if (n_failed > 0 || n_skipped === 0) return n_failed > 0;
  const rows = await query(ctx, {
    name: "bulk_action_item.hidden",
    text: "select 1 from bulk_action_item where organization_id = $1 and bulk_action_id = $2 and status = 'skipped' and error = $3 limit 1",
    values: [ctx.organization_id, id, gone.error],
  });
  return rows.length > 0;
}

function leftOver({ n_skipped, n_failed }: BulkAction): string | null {
  return n_skipped + n_failed === 0 ? null : `${n_skipped} were skipped, and ${n_failed} failed.`;
}

/** It cannot go on. The items that are left stay as they are. */
export function stop(ctx: Ctx, action: BulkAction, error: string): void {
  store.update(ctx, bulkAction, action, { status: "error", error, date_completed: ctx.now.toISOString() });
  tell(ctx, action, "Your bulk action stopped", error);
}

function tell(ctx: Ctx, { id, kind, created_by, run_by, send_done_email }: BulkAction, title: string, body: string | null): void {
  if (!send_done_email) return;
  notify(ctx, [run_by ?? created_by], {
    type: "bulk_action_done",
    title,
    body,
    object_type: `bulk_action.${kind}`,
    object_id: id,
    actor_id: null,
  });
}
