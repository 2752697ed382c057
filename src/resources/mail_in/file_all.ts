// Files fetched messages, several at once. Then the position moves on, in a transaction of its own. When a worker ends in between,
// the next one reads these messages again and knows them by their identity.
import { requestOf } from "../../jobs/claims.ts";
import { checkClaim } from "../../jobs/job.ts";
import { asSystem, readingAs, systemActor } from "../../records/acting.ts";
import { withEventsTogether } from "../../records/events_together.ts";
import type { KeptPart } from "../activities/arrived_parts.ts";
import { keepOwn } from "../files/store_file.ts";
import { isOfMessage, received } from "../inbox/receipt.ts";
import { rightsOf } from "../leads/hidden_from.ts";
import type { ArrivedMail } from "./arrived.ts";
import { fileMail } from "./file_mail.ts";
import { moveOn } from "./folder_place.ts";
import { membersAmong } from "./members_among.ts";
import { readAsItCame, readMessage } from "./read_message.ts";
import { inFamilies } from "./related.ts";
import { holding, type Role, type Source, type Visit } from "./visit.ts";

/** A message as it came. */
interface Fetched {
  uid: number;
  source: Uint8Array;
  arrivedAt: Date;
}

interface Parsed extends Fetched {
  mail: ArrivedMail;
}

/** How many are filed at once. Filing waits for the database most of the time. */
const atOnce = 6;

/** In the order of their UIDs. Where one cannot be filed now, the position stays before it, and the failure is thrown. */
export async function fileAll(visit: Visit, role: Role, all: readonly Fetched[]): Promise<void> {
  const parsed: Parsed[] = [];
  for (const one of all) parsed.push({ ...one, mail: await readMessage(one.source, one.arrivedAt) });
  const source = await sourceOf(
    visit,
    role,
    parsed.map(({ mail }) => mail),
  );
  const families = inFamilies(role, parsed);
  const filed = new Set<number>();
  const fileSome = async () => {
    for (let family = families.shift(); family !== undefined; family = families.shift())
      for (const one of family) {
        await fileSomehow(visit, source, one);
        filed.add(one.uid);
      }
  };
  const results = await Promise.allSettled(Array.from({ length: atOnce }, fileSome));

  const missing = all.findIndex(({ uid }) => !filed.has(uid));
  const done = missing < 0 ? all : all.slice(0, missing);
  const last = done.at(-1);
  if (last !== undefined) await holding(visit, async (ctx) => moveOn(ctx, visit.account, role, last.uid));
  visit.left -= done.length;
  const failed = results.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** Files a message, and moves on. */
export async function fileOne(visit: Visit, role: Role, uid: number, mail: ArrivedMail): Promise<void> {
  await file(visit, await sourceOf(visit, role, [mail]), mail);
  await holding(visit, async (ctx) => moveOn(ctx, visit.account, role, uid));
  visit.left--;
}

async function sourceOf(visit: Visit, role: Role, mails: readonly ArrivedMail[]): Promise<Source> {
  const { core, job, account } = visit;
  const system = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  const [members, owner] = await Promise.all([membersAmong(visit, mails), rightsOf(system, account.user_id)]);
  return { account, owner, role, members };
}

/** A message that cannot be filed as what it says would hold up all behind it: then it is filed as it came. */
async function fileSomehow(visit: Visit, source: Source, { mail, source: bytes, arrivedAt }: Parsed): Promise<void> {
  try {
    await file(visit, source, mail);
  } catch (error) {
    if (!isOfMessage(error as Error)) throw error;
    const asItCame = await readAsItCame(bytes, arrivedAt);
    await file(visit, await sourceOf(visit, source.role, [asItCame]), asItCame);
  }
}

async function file(visit: Visit, source: Source, mail: ArrivedMail): Promise<void> {
  const { core, job } = visit;
  const parts = await keepParts(visit, mail);
  await received(
    (act) => asSystem(core, job.organization_id, requestOf(job), act),
    (ctx) => withEventsTogether(ctx, (own) => fileMail(own, source, mail, parts, (inside) => checkClaim(inside, job))),
  );
}

/** Bytes that nothing comes of are removed within the hour. */
async function keepParts({ core, job }: Visit, { parts }: ArrivedMail): Promise<KeptPart[]> {
  const keeper = { db: core.db, settings: core.settings, organization_id: job.organization_id };
  const kept: KeptPart[] = [];
  for (const { bytes, mime, ...part } of parts) kept.push({ ...part, kept: await keepOwn(keeper, Buffer.from(bytes), mime) });
  return kept;
}
