// Notes of what deletions in a transaction did, for whoever wants to undo them. Only a transaction that asks for them has any.
import { type Ctx, transactionOf } from "../core/context.ts";

/** What deletions did, in their order: enough to bring it back. */
export interface Removal {
  /** The rows of a kind, by the resource's name. What belonged to a record comes before it. */
  removed: { of: string; rows: readonly object[] }[];
  /** What records that stayed had lost: their stored values before and after. */
  lost: { of: string; id: string; was: Record<string, unknown>; is: Record<string, unknown> }[];
}

const notes = new WeakMap<object, Removal>();

/** From now on, deletions in the transaction of `ctx` are noted in what is returned. */
export function noteRemovals(ctx: Ctx): Removal {
  const removal: Removal = { removed: [], lost: [] };
  notes.set(transactionOf(ctx), removal);
  return removal;
}

/** Null where nobody asked. */
export const notesOf = (ctx: Ctx): Removal | null => notes.get(transactionOf(ctx)) ?? null;
