// Fetches messages of a folder and files each as it arrives. The position moves in the same transaction. So when a worker ends or
// a connection breaks between two messages, nothing was read twice and nothing skipped.
import type { FetchMessageObject } from "imapflow";
import type { Ctx } from "../../core/context.ts";
import { requestOf } from "../../jobs/claims.ts";
import { ClaimLost, holdClaim } from "../../jobs/job.ts";
import { asSystem } from "../../records/acting.ts";
import type { KeptPart } from "../activities/arrived_parts.ts";
import { keepOwn } from "../files/store_file.ts";
import type { ArrivedMail } from "./arrived.ts";
import { fileMail } from "./file_mail.ts";
import { countTry, moveOn } from "./folder_place.ts";
import { beginningOfLarge, largestMessage, readAsItCame, readBeginning, readMessage } from "./read_message.ts";
import type { Role, Visit } from "./visit.ts";

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
    const tries = isLarge ? await inTransaction(visit, (ctx) => countTry(ctx, visit.account, role, uid)) : 0;
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

/** Servers usually send messages in order, but need not. An early one waits for those before it. */
async function readWhole(visit: Visit, role: Role, some: readonly Listed[]): Promise<boolean> {
  const waiting = [...some];
  const sources = new Map<number, Uint8Array>();
  const uids = some.map(({ uid }) => uid);
  for await (const { uid, source } of visit.mailbox.fetch(uids, { source: true })) {
    sources.set(uid, source!);
    while (waiting.length > 0 && sources.has(waiting[0]!.uid)) await fileNext(visit, role, waiting.shift()!, sources);
    if (isOver(visit)) return false;
  }
  // A message that did not come was removed from the mailbox in the meantime.
  for (const one of waiting) if (sources.has(one.uid)) await fileNext(visit, role, one, sources);
  return true;
}

async function fileNext(
  visit: Visit,
  role: Role,
  { uid, internalDate }: Listed,
  sources: Map<number, Uint8Array>,
): Promise<void> {
  await fileSomehow(visit, role, uid, sources.get(uid)!, new Date(internalDate as Date));
  sources.delete(uid);
  visit.left--;
}

async function readOneBeginning(visit: Visit, role: Role, { uid, size, internalDate }: Listed, tries: number): Promise<void> {
  const source = { start: 0, maxLength: beginningOfLarge };
  for await (const { source: bytes } of visit.mailbox.fetch([uid], { source })) {
    await file(visit, role, uid, await readBeginning(bytes!, size!, new Date(internalDate as Date), tries > triesMost));
    visit.left--;
  }
}

// --- filing ---

/** A message that cannot be filed as what it says would hold up all behind it: then it is filed as it came. */
async function fileSomehow(visit: Visit, role: Role, uid: number, source: Uint8Array, arrivedAt: Date): Promise<void> {
  try {
    await file(visit, role, uid, await readMessage(source, arrivedAt));
  } catch (error) {
    if (!isOfMessage(error as Refusal)) throw error;
    await file(visit, role, uid, await readAsItCame(source, arrivedAt));
  }
}

interface Refusal extends Error {
  status?: number;
  code?: string;
  syscall?: string;
}

/** PostgreSQL errors about itself and not about its input: connections, resources, locks, its own state. */
const ofDatabase = /^(08|25|40|53|55|57|58)/;

/** It would be refused again. Failures of a disk, the database or the claim are temporary, and the message is then read again. */
const isOfMessage = (error: Refusal): boolean =>
  !(error instanceof ClaimLost) && error.status !== 503 && error.syscall === undefined && !ofDatabase.test(error.code ?? "");

async function file(visit: Visit, role: Role, uid: number, mail: ArrivedMail): Promise<void> {
  const parts = await keepParts(visit, mail);
  await inTransaction(visit, async (ctx) => {
    await fileMail(ctx, { ...visit, role }, mail, parts);
    moveOn(ctx, visit.account, role, uid);
  });
}

/** Bytes that nothing comes of are removed within the hour. */
async function keepParts({ core, job }: Visit, { parts }: ArrivedMail): Promise<KeptPart[]> {
  const keeper = { db: core.db, settings: core.settings, organization_id: job.organization_id };
  const kept: KeptPart[] = [];
  for (const { bytes, mime, ...part } of parts) kept.push({ ...part, kept: await keepOwn(keeper, Buffer.from(bytes), mime) });
  return kept;
}

const inTransaction = <T>(visit: Visit, act: (ctx: Ctx) => Promise<T>): Promise<T> =>
  asSystem(visit.core, visit.job.organization_id, requestOf(visit.job), async (ctx) => {
    await holdClaim(ctx, visit.job);
    return act(ctx);
  });
