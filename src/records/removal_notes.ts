// Notes of what deletions in a transaction did, for whoever wants to undo them. Only a transaction that asks for them has any.
import { type Ctx, transactionOf } from "../core/context.ts";

/** What deletions did, in their order: enough to bring it back. */
export interface Removal {
  /** The rows of a kind, by the resource's name. What belonged to a record comes before it. */
  removed: (PartOf & { of: string; rows: readonly object[] })[];
  /** What records that stayed had lost: their stored values before and after. */
  lost: (PartOf & { of: string; id: string; was: Record<string, unknown>; is: Record<string, unknown> })[];
}

/** Of one request that deleted one thing after the other, each by itself: which of them it was. */
interface PartOf {
  part?: number;
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

/** Notes what is done within `outer` by a transaction of its own. The returned function adds it to the notes of `outer`, if that has any. */
export function noteWithin(outer: object, inner: object): () => void {
  const all = notes.get(outer);
  if (all === undefined) return () => {};
  const own: Removal = { removed: [], lost: [] };
  notes.set(inner, own);
  return () => {
    const part = all.removed.length + all.lost.length;
    all.removed.push(...own.removed.map((one) => ({ ...one, part })));
    all.lost.push(...own.lost.map((one) => ({ ...one, part })));
  };
}
