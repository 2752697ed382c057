// What is put around a write by its key, its change set, and the budget of whoever asks.
import type { Ctx } from "../core/context.ts";
import type { Operation } from "../core/operation.ts";
import type { Around, Call } from "../core/perform.ts";
import { budgeted } from "./budgets.ts";
import { undoable } from "./change_sets.ts";
import { once } from "./idempotency.ts";

/**
 * What deletes can be undone by its request, and everything that a client named by its change set. A repeated request that has its
 * answer already uses no budget. `unless` may refuse the write, in its transaction, after a repeated request has had its answer.
 */
export function aroundWrite(
  { scope, mcp }: Operation,
  key: string | null,
  changeSet: string | null,
  unless?: (ctx: Ctx) => Promise<void>,
): Required<Pick<Call, "around">> {
  const isKept = changeSet !== null || (mcp && scope === "write_destructive");
  const bounded = unless === undefined ? budgeted : within(budgeted, checked(unless));
  const counted = isKept ? within(undoable(changeSet), bounded) : bounded;
  return { around: key === null ? counted : within(once(key), counted) };
}

const checked =
  (check: (ctx: Ctx) => Promise<void>): Around =>
  async (ctx, _call, act) => {
    await check(ctx);
    return act();
  };

const within =
  (outer: Around, inner: Around): Around =>
  (ctx, call, act) =>
    outer(ctx, call, () => inner(ctx, call, act));
