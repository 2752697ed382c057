// What is put around a write by its key and its change set.
import type { Operation } from "../core/operation.ts";
import type { Call } from "../core/perform.ts";
import { undoable } from "./change_sets.ts";
import { once } from "./idempotency.ts";

/** What deletes can be undone by its request, and everything that a client named by its change set. */
export function aroundWrite({ scope, mcp }: Operation, key: string | null, changeSet: string | null): Pick<Call, "around"> {
  const isKept = changeSet !== null || (mcp && scope === "write_destructive");
  const undo = isKept ? undoable(changeSet) : null;
  if (key === null) return undo === null ? {} : { around: undo };
  const keyed = once(key);
  return { around: undo === null ? keyed : (ctx, call, act) => keyed(ctx, call, () => undo(ctx, call, act)) };
}
