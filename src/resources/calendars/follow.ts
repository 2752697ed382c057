// The work for calendars: a job is one account whose calendars are followed. Each turn sends one request to the provider and
// stores the response. Nothing else is kept in between, so an interrupted turn is simply repeated.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work } from "../../jobs/job.ts";
import { asService, asSystem, readingAs, systemActor } from "../../records/acting.ts";
import { zoneOf } from "../../records/clock.ts";
import { findRecords } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { oauthTypes } from "../../services/oauth_providers.ts";
import { failAccount } from "../accounts/account_states.ts";
import { connectedAccount } from "../accounts/connected_account.ts";
import { NotConnected } from "../accounts/oauth/access_token.ts";
import { AskLater, CalendarGone, CursorLost, NotReadable } from "./ask.ts";
import type { Calendar, CalendarApi, Page } from "./calendar_event.ts";
import { endRound } from "./end_round.ts";
import { forgetAllCalendars } from "./forget.ts";
import { googleCalendars } from "./google.ts";
import { microsoftCalendars } from "./microsoft.ts";
import { calendarJobs } from "./names.ts";
import { afterFailure, isLasting, type Step, stepOf } from "./step.ts";
import { type Account, readTurn, type Turn } from "./turn.ts";
import { writeCalendars, writeGoneCalendar, writeLostCursor, writePage, writeRound, writeUnreadable } from "./write_turn.ts";

export const calendarWork: Work = {
  ...calendarJobs,
  doc: "Follows members' calendars at Google and Microsoft.",
  slots: 8,
  run: takeTurn,
  async giveUp(ctx, job) {
    await failAccount(ctx, job.object_id, ["calendar"], "Several workers ended while reading its calendars.");
  },
};

async function takeTurn(core: Core, job: Job): Promise<void> {
  const turn = await readFollowed(core, job);
  if (turn === null) return stop(core, job);
  const step = stepOf(turn, core.clock());
  try {
    const heard = await askFor(core, turn, step);
    await inTurn(core, turn, (ctx, now) => writeHeard(ctx, now, step, heard));
  } catch (error) {
    await inTurn(core, turn, await answerTo(core, step, error as Error));
  }
}

// --- the state ---

/** Null when nothing is to be followed: the account is gone or has no calendars, or its owner is not an active member. */
async function readFollowed(core: Core, job: Job): Promise<Turn | null> {
  const ctx = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  const [account] = await findRecords(ctx, connectedAccount, [sql`t.id = ${job.object_id}`]);
  if (account === undefined || account.calendar_status === "disabled") return null;
  const owner = await actorOfMember(core.db, job.organization_id, account.user_id);
  return owner === null ? null : readTurn(ctx, job, account);
}

/** Forgets the calendars. Their meetings stay, and only people change them from now on. */
const stop = (core: Core, job: Job): Promise<void> =>
  asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
    await lockToChange(ctx, connectedAccount, sql`t.id = ${job.object_id}`);
    await holdClaim(ctx, job);
    forgetAllCalendars(ctx, job.object_id);
    release(ctx, job, null);
  });

// --- requests ---

type Heard = Calendar[] | Page | null;

async function askFor(core: Core, { job, account }: Turn, step: Step): Promise<Heard> {
  if (step.kind === "end") return null;
  const api = apiOf(core, account);
  if (step.kind === "calendars") return api.calendars();
  const owner = { ...systemActor(job.organization_id), user_id: account.user_id };
  const ctx = await readingAs(core, owner, requestOf(job));
  return api.read(step.reading.calendar_id, step.question, zoneOf(ctx.directory, ctx));
}

function apiOf(core: Core, account: Account): CalendarApi {
  const type = oauthTypes.find((one) => one === account._type)!;
  const provider = core.settings.oauth[type];
  const asking = { core, account, name: provider.name };
  return type === "google" ? googleCalendars(asking, provider) : microsoftCalendars(asking, provider);
}

// --- writing ---

type Writing = (ctx: Ctx, turn: Turn) => Promise<void> | void;

/** Locks the account before the job, in the same order as a request that changes the account and wakes the job. */
const inTurn = (core: Core, { job, account }: Turn, work: Writing): Promise<void> =>
  asService(core, job.organization_id, account.user_id, requestOf(job), async (ctx) => {
    const [present] = await lockToChange(ctx, connectedAccount, sql`t.id = ${account.id}`);
    await holdClaim(ctx, job);
    // Somebody has switched it off. The next turn handles that.
    if (present === undefined || present.calendar_status === "disabled") return release(ctx, job, ctx.now);
    await work(ctx, await readTurn(ctx, job, present));
  });

async function writeHeard(ctx: Ctx, turn: Turn, step: Step, heard: Heard): Promise<void> {
  if (step.kind === "end") return endRound(ctx, turn);
  if (step.kind === "calendars") return writeCalendars(ctx, turn, heard as Calendar[]);
  return writePage(ctx, turn, step, heard as Page);
}

/** How to handle an error. Our own defects are thrown on, and the worker retries the job. */
async function answerTo(core: Core, step: Step, error: Error): Promise<Writing> {
  // The owner has already been told. Connecting the account again wakes the job.
  if (error instanceof NotConnected) return (ctx, { job }) => release(ctx, job, null);
  if (step.kind === "read") {
    // An invalid link to changes does not mean that the calendar is gone.
    const isLost = error instanceof CursorLost || error instanceof CalendarGone;
    if (isLost && !step.isListing) return (ctx, turn) => writeLostCursor(ctx, turn, step);
    if (error instanceof NotReadable) return (ctx, turn) => writeUnreadable(ctx, turn, step, error.message);
    if (error instanceof CalendarGone) return (ctx, turn) => writeGoneCalendar(ctx, turn, step, error.message);
  }
  const known = [AskLater, CursorLost, CalendarGone, NotReadable].some((kind) => error instanceof kind);
  if (!known) throw error;
  const at = error instanceof AskLater ? error.at : null;
  return (ctx, turn) => writeFailure(ctx, turn, error.message, at);
}

async function writeFailure(ctx: Ctx, { job, account, round }: Turn, error: string, at: Date | null): Promise<void> {
  const failing_since = round.failing_since ?? ctx.now;
  writeRound(ctx, account.id, { ...round, failures: round.failures + 1, failing_since });
  if (isLasting(failing_since, ctx.now)) await failAccount(ctx, account.id, ["calendar"], error);
  release(ctx, job, afterFailure(round.failures, at, ctx.now, Math.random()));
}
