// Fetches messages of a folder, some at a time, and has them filed.
import type { FetchMessageObject } from "imapflow";
import { fileAll, fileOne } from "./file_all.ts";
import { countTry } from "./folder_place.ts";
import { beginningOfLarge, largestMessage, readBeginning } from "./read_message.ts";
import { holding, type Role, type Visit } from "./visit.ts";

/** A message as the server lists it. */
type Listed = FetchMessageObject;

/** The most bytes requested at once, unless one message is larger. */
const bytesMost = 1_000_000;
/**
 * How often a larger message is fetched as a whole. After that only its beginning is read, so that a bad connection does not hold
 * up all later messages.
 */
const triesMost = 3;

/** In the order of their UIDs. Returns false when the visit was over before all were read. It then sends no more requests. */
export async function readMessages(visit: Visit, role: Role, listed: readonly Listed[]): Promise<boolean> {
  for (const some of fewAtATime(listed)) {
    if (isOver(visit)) return false;
    const [{ uid, size }] = some as [Listed];
    const isLarge = size! > bytesMost;
    const tries = isLarge ? await holding(visit, (ctx) => countTry(ctx, visit.account, role, uid)) : 0;
    if (size! > largestMessage || tries > triesMost) await readOneBeginning(visit, role, some[0]!, tries);
    else if (!(await readWhole(visit, role, some))) return false;
  }
  return true;
}

const isOver = ({ until }: Visit): boolean => performance.now() > until;

function* fewAtATime(listed: readonly Listed[]): Iterable<Listed[]> {
  let some: Listed[] = [];
  let bytes = 0;
  for (const one of [...listed].sort((a, b) => a.uid - b.uid)) {
    if (some.length > 0 && bytes + one.size! > bytesMost) {
      yield some;
      [some, bytes] = [[], 0];
    }
    some.push(one);
    bytes += one.size!;
  }
  if (some.length > 0) yield some;
}

/**
 * Servers usually send messages in order, but need not. When the visit is over or the connection breaks, those are filed that came
 * and have none missing before them.
 */
async function readWhole(visit: Visit, role: Role, some: readonly Listed[]): Promise<boolean> {
  const sources = new Map<number, Uint8Array>();
  let haveAllCome = false;
  try {
    for await (const { uid, source } of visit.mailbox.fetch(
      some.map(({ uid }) => uid),
      { source: true },
    )) {
      sources.set(uid, source!);
      if (isOver(visit)) return false;
    }
    haveAllCome = true;
  } finally {
    // A message that did not come was removed from the mailbox in the meantime.
    const missing = haveAllCome ? -1 : some.findIndex(({ uid }) => !sources.has(uid));
    const came = (missing < 0 ? some : some.slice(0, missing)).filter(({ uid }) => sources.has(uid));
    await fileAll(
      visit,
      role,
      came.map(({ uid, internalDate }) => ({ uid, source: sources.get(uid)!, arrivedAt: new Date(internalDate as Date) })),
    );
  }
  return true;
}

async function readOneBeginning(visit: Visit, role: Role, { uid, size, internalDate }: Listed, tries: number): Promise<void> {
  const source = { start: 0, maxLength: beginningOfLarge };
  for await (const { source: bytes } of visit.mailbox.fetch([uid], { source })) {
    const mail = await readBeginning(bytes!, size!, new Date(internalDate as Date), tries > triesMost);
    await fileOne(visit, role, uid, mail);
  }
}
