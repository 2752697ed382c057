// What is put around a write by its key, its change set, and the budget of whoever asks.
import type { Operation } from "../core/operation.ts";
import type { Around, Call } from "../core/perform.ts";
import { budgeted } from "./budgets.ts";
import { undoable } from "./change_sets.ts";
import { once } from "./idempotency.ts";
import { attended } from "./unattended.ts";

/**
 * What deletes can be undone by its request, and everything that a client named by its change set. A repeated request that has its
 * answer already uses no budget. `inner` is
 * put around the write itself: a repeated request has had its answer before.
 */
export function aroundWrite(
  { mcp }: Operation,
  key: string | null,
  changeSet: string | null,
  inner?: Around,
): Required<Pick<Call, "around">> {
  // Changes delete too: an accepted quote replaces the lines of its deal.
  const isKept = changeSet !== null || mcp;
  const watched = inner === undefined ? attended : within(attended, inner);
  const bounded = within(budgeted, watched);
  const counted = isKept ? within(undoable(changeSet), bounded) : bounded;
  return { around: key === null ? counted : within(once(key), counted) };
}

export const within =
  (outer: Around, inner: Around): Around =>
  (ctx, call, act) =>
    outer(ctx, call, () => inner(ctx, call, act));
