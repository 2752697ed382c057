// What a request wrote that may do more than stand there: messages that leave, and what acts by itself. It is heard where rows are
// written and not by the operations that write them, so that no new operation can be forgotten.
import { type Ctx, transactionOf } from "../core/context.ts";
import type { Resource, Row } from "../core/resource.ts";

export interface Written {
  of: Resource;
  before: Row<Resource> | null;
  after: Row<Resource>;
  /** The names of the fields that changed; all, for what is new. */
  changed: readonly string[] | null;
}

const heard = new WeakMap<object, Written[]>();

/** What the transaction writes from now on. Only one that is listened to keeps it. */
export function listen(ctx: Ctx): readonly Written[] {
  const tx = transactionOf(ctx);
  const list = heard.get(tx) ?? [];
  heard.set(tx, list);
  return list;
}

export function hear(ctx: Ctx, { of, before, after, changed }: Written): void {
  if (of.acts !== undefined || of.sendsTo !== undefined || of.isUsed !== undefined)
    heard.get(transactionOf(ctx))?.push({ of, before, after, changed });
}

/** Whom it sends to, and did not before. Null for what does not send. */
export function newRecipients({ of, before, after }: Written) {
  const to = of.sendsTo?.(after) ?? null;
  if (to === null) return null;
  const was = before === null ? null : (of.sendsTo!(before) ?? null);
  const known = new Set((was ?? []).map(({ value }) => value));
  return { isNew: was === null, to: to.filter(({ value }) => !known.has(value)) };
}
