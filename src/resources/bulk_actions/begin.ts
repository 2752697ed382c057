// Stores a bulk action with its items, and wakes its job.
import type { Ctx } from "../../core/context.ts";
import type { Resource } from "../../core/resource.ts";
import type { Sql } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { type Kind as BudgetKind, spendAhead } from "../../records/budgets.ts";
import { store } from "../../records/store.ts";
import { messagesOf } from "../sequences/messages_of.ts";
import type { Kind } from "./common.ts";
import type { BulkAction } from "./doing.ts";
import { bulkJobs } from "./names.ts";
import { takeSnapshot } from "./snapshot.ts";
import { noteUnknown } from "./unknown_ids.ts";

/** `selected` are its items: the `id`, `lead_id` and `ord` of each. Unknown ids are items that have failed. */
export async function begin(
  ctx: Ctx,
  of: Resource,
  values: object,
  selected: Sql,
  unknown: readonly string[] = [],
): Promise<BulkAction> {
  const row = store.insert(ctx, of, values);
  const { n_objects, n_leads } = await takeSnapshot(ctx, row, selected);
  const errors = noteUnknown(ctx, row, unknown, n_objects);
  const [failed, all] = [unknown.length, n_objects + unknown.length];
  const counted = { n_objects: all, n_leads, n_objects_processed: failed, n_failed: failed, errors };
  const after = store.update(ctx, of, row, counted, undefined, null);
  await spendFor(ctx, after as BulkAction, n_objects);
  wake(ctx, bulkJobs, [row.id]);
  return after as BulkAction;
}

/** Counts its records in the budget of whoever started it. A subscription counts with all messages of its sequence. */
export async function spendFor(ctx: Ctx, { kind, action_type, sequence_id }: BulkAction, n: number): Promise<void> {
  if (kind !== "sequence_subscription") return spendAhead(ctx, { [spends[kind]]: n });
  if (action_type === "pause" || action_type === "reassign") return spendAhead(ctx, { writes: n });
  const each = sequence_id === null ? 1 : await messagesOf(ctx, sequence_id);
  return spendAhead(ctx, { messages: n * each }, { messages: n });
}

const spends: Record<Exclude<Kind, "sequence_subscription">, BudgetKind> = {
  automation: "writes",
  delete: "deletes",
  edit: "writes",
  email: "messages",
  enrich: "writes",
  undo: "writes",
};
