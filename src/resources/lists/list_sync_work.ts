// Reads the lists of mailing platforms every six hours: a job is one service of an organization. It notes page by page which contacts are
// on which lists, and at the end changes those contacts whose lists are others than before. A killed worker's place is the next one's.
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work } from "../../jobs/job.ts";
import { asSystem } from "../../records/acting.ts";
import { type BrevoAccount, brevoLists } from "../../services/brevo.ts";
import { type MailchimpAccount, mailchimpLists } from "../../services/mailchimp.ts";
import { type MailingLists, type Member, NotTaken, type Page, type RemoteList } from "../../services/mailing.ts";
import { noteAnswer, openedValues, storedFor } from "../accounts/open_credentials.ts";
import { afterWait, later } from "../webhooks/schedule.ts";
import { applyNext } from "./apply_lists.ts";
import { listSyncJobs } from "./list_sync_jobs.ts";
import { beginReading, endReading, lockSync, noteMembers, type Place, type Sync, storeSync } from "./list_sync_state.ts";

/** After so long, others get the place. */
const turnsForMs = 2000;
const everyMs = 6 * 3_600_000;

export const listSyncWork: Work = {
  ...listSyncJobs,
  doc: "Reads the lists of mailing platforms, and says of contacts which of them they are on.",
  slots: 2,
  async run(core, job) {
    const until = performance.now() + turnsForMs;
    for (let goesOn = true; goesOn; ) {
      const mayGoOn = performance.now() < until;
      const reading = await begin(core, job, mayGoOn);
      if (reading === null) return;
      if (reading === "applied") continue;
      const read = await readNext(reading);
      goesOn = await end(core, job, reading, read, mayGoOn);
    }
  },
  async giveUp(ctx, { object_id }) {
    const sync = await lockSync(ctx, object_id);
    storeSync(ctx, sync, { status: "waiting", error: "Several workers ended in the middle of it" });
  },
};

interface Reading {
  client: MailingLists;
  place: Place;
}

/** Null when the job is released. */
async function begin(core: Core, job: Job, mayGoOn: boolean): Promise<Reading | "applied" | null> {
  return inside(core, job, async (ctx, found) => {
    const stored = await storedFor(ctx, job.object_id);
    if (stored === null) {
      release(ctx, job, null);
      return null;
    }
    const sync = found.status === "waiting" ? beginReading(ctx, found) : found;
    if (sync.status === "applying") return apply(ctx, job, sync, mayGoOn);
    const told = (problem: string | null) => noteAnswer(ctx, stored, problem);
    return { client: listsAt(ctx, job.object_id, openedValues(ctx, stored), told), place: sync.place as Place };
  });
}

function listsAt(ctx: Ctx, service: string, account: unknown, told: (problem: string | null) => Promise<void>): MailingLists {
  const given = { addresses: ctx.settings.addresses, told };
  return service === "mailchimp"
    ? mailchimpLists(given, account as MailchimpAccount)
    : brevoLists(given, account as BrevoAccount);
}

async function apply(ctx: Ctx, job: Job, sync: Sync, mayGoOn: boolean): Promise<"applied" | null> {
  const after = await applyNext(ctx, sync);
  if (after === null) {
    endReading(ctx, sync);
    release(ctx, job, new Date(ctx.now.getTime() + everyMs));
    return null;
  }
  storeSync(ctx, sync, { place: { after } });
  if (mayGoOn) return "applied";
  release(ctx, job, ctx.now);
  return null;
}

type Read = { lists: Page<RemoteList> } | { members: Page<Member> } | NotTaken;

/** The next page: of the lists, or of the members of the first of them. */
async function readNext({ client, place }: Reading): Promise<Read> {
  try {
    const [list] = place.lists;
    if (place.listsFrom !== null) return { lists: await client.lists(place.listsFrom) };
    return { members: list === undefined ? { found: [], next: null } : await client.members(list.id, place.from) };
  } catch (error) {
    if (error instanceof NotTaken) return error;
    throw error;
  }
}

/** Returns whether the next page follows at once. */
async function end(core: Core, job: Job, { place }: Reading, read: Read, mayGoOn: boolean): Promise<boolean> {
  return inside(core, job, async (ctx, sync) => {
    if (read instanceof NotTaken) {
      release(ctx, job, failed(ctx, sync, read));
      return false;
    }
    const [list, ...others] = place.lists;
    if ("lists" in read) {
      const { found, next } = read.lists;
      storeSync(ctx, sync, { place: { lists: [...place.lists, ...found], listsFrom: next, from: 0 }, ...calm });
    } else if (list === undefined) storeSync(ctx, sync, { status: "applying", place: { after: "" }, ...calm });
    else {
      const { found, next } = read.members;
      const n_unknown = await noteMembers(ctx, sync, list.name, found);
      const goneOn = next === null ? { ...place, lists: others, from: 0 } : { ...place, from: next };
      const counted = { n_members: sync.n_members + found.length, n_unknown: sync.n_unknown + n_unknown };
      storeSync(ctx, sync, { place: goneOn, ...counted, ...calm });
    }
    if (!mayGoOn) release(ctx, job, ctx.now);
    return mayGoOn;
  });
}

const calm = { tries: 0, error: null } as const;

const [pauseMs, pauseMostMs] = [5_000, 1_800_000];

/** A platform that is away is asked again soon, and one that refuses with the next reading. */
function failed(ctx: Ctx, sync: Sync, { kind, message, retryAfter }: NotTaken): Date {
  if (kind !== "later") {
    storeSync(ctx, sync, { status: "waiting", error: message, tries: 0 });
    return new Date(ctx.now.getTime() + everyMs);
  }
  storeSync(ctx, sync, { error: message, tries: sync.tries + 1 });
  const again = new Date(ctx.now.getTime() + Math.min(pauseMostMs, pauseMs * 2 ** Math.min(sync.tries, 10)));
  const asked = afterWait(retryAfter, ctx.now);
  return asked === null ? again : later(asked, again);
}

/** A transaction with the reading and the claim. */
const inside = <T>(core: Core, job: Job, act: (ctx: Ctx, sync: Sync) => Promise<T>): Promise<T> =>
  asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
    const sync = await lockSync(ctx, job.object_id);
    await holdClaim(ctx, job);
    return act(ctx, sync);
  });
