// What is put around a write by its key, its change set, and the budget of whoever asks.
import type { Operation } from "../core/operation.ts";
import type { Around, Call } from "../core/perform.ts";
import { budgeted } from "./budgets.ts";
import { undoable } from "./change_sets.ts";
import { once } from "./idempotency.ts";

/**
 * What deletes can be undone by its request, and everything that a client named by its change set. A repeated request that has its
 * answer already uses no budget.
 */
export function aroundWrite(
  { scope, mcp }: Operation,
  key: string | null,
  changeSet: string | null,
): Required<Pick<Call, "around">> {
  const isKept = changeSet !== null || (mcp && scope === "write_destructive");
  const counted = isKept ? within(undoable(changeSet), budgeted) : budgeted;
  return { around: key === null ? counted : within(once(key), counted) };
}

const within =
  (outer: Around, inner: Around): Around =>
  (ctx, call, act) =>
    outer(ctx, call, () => inner(ctx, call, act));
