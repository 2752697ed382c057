// Stores the result of a turn in one transaction that checks the claim, so that meetings and the reading position of their
// calendar change together.
import { type Ctx, write } from "../../core/context.ts";
import { release } from "../../jobs/job.ts";
import { setCalendars } from "../accounts/synced_calendars.ts";
import type { Calendar, Page } from "./calendar_event.ts";
import { markUnseen } from "./copies.ts";
import { endRound } from "./end_round.ts";
import { fileChanges } from "./file_changes.ts";
import { forgetCalendars } from "./forget.ts";
import { eventsMost, type ReadStep, stepOf } from "./step.ts";
import type { Reading, Round, Turn } from "./turn.ts";

// --- the list of calendars ---

export function writeCalendars(ctx: Ctx, turn: Turn, found: readonly Calendar[]): void {
  const { job, account, round } = turn;
  const calendars = found.map(({ id, name, is_primary }) => ({ id, name, is_primary }));
  const { synced_calendars } = setCalendars(ctx, account, calendars, round.calendars_at === null);
  // The meetings of a calendar that is gone stay.
  forgetCalendars(
    ctx,
    account.id,
    synced_calendars.map(({ id }) => id),
  );
  writeRound(ctx, account.id, { ...round, calendars_at: ctx.now });
  release(ctx, job, ctx.now);
}

// --- a page ---

export async function writePage(ctx: Ctx, turn: Turn, step: ReadStep, page: Page): Promise<void> {
  const { account } = turn;
  const { reading, isListing } = step;
  const calendar = account.synced_calendars.find(({ id }) => id === reading.calendar_id);
  // The owner has removed the calendar from the list in the meantime.
  if (calendar === undefined) return release(ctx, turn.job, ctx.now);

  const place = { account_id: account.id, calendar_id: reading.calendar_id };
  const { user_id, email } = account;
  const [from, to] = [reading.listed_from!, reading.listed_to!];
  const source = { ...place, user_id, email, is_primary: calendar.is_primary, listing: reading.listing, from, to };
  await fileChanges(ctx, { ...source, is_news: !isListing }, page.changes);
  const after = readingAfter(ctx, step, page, calendar.name);
  if (isListing && page.page === null) markUnseen(ctx, place, reading.listing, from, to);
  await goOn(ctx, turn, after);
}

function readingAfter({ now }: Ctx, { reading, isListing }: ReadStep, { changes, page, cursor }: Page, name: string): Reading {
  const events = isListing ? reading.events + changes.length : reading.events;
  if (isListing && page !== null && events >= eventsMost)
    return { ...stuck(reading, now), events, error: `The calendar ${name} has more than ${eventsMost} events in half a year.` };
  if (page !== null) return { ...reading, events, page };
  return { ...reading, events, page: null, cursor: cursor ?? (isListing ? null : reading.cursor), read_at: now };
}

const stuck = (reading: Reading, now: Date): Reading => ({ ...reading, cursor: null, page: null, read_at: now });

/** The changes since the cursor are no longer known, so the calendar is listed again. */
export const writeLostCursor = (ctx: Ctx, turn: Turn, { reading }: ReadStep): Promise<void> =>
  goOn(ctx, turn, { ...reading, cursor: null, page: null });

/** This calendar cannot be read, but others can. */
export const writeUnreadable = (ctx: Ctx, turn: Turn, { reading }: ReadStep, error: string): Promise<void> =>
  goOn(ctx, turn, { ...stuck(reading, ctx.now), error });

/** This calendar is gone, and there may be new ones, so the calendars are listed again. */
export const writeGoneCalendar = (ctx: Ctx, turn: Turn, step: ReadStep, error: string): Promise<void> =>
  writeUnreadable(ctx, { ...turn, round: { ...turn.round, calendars_at: new Date(0) } }, step, error);

/**
 * Stores how far a calendar has been read, and ends the turn. The next one reads the next page or the next calendar, or ends the
 * round.
 */
async function goOn(ctx: Ctx, turn: Turn, after: Reading): Promise<void> {
  const { job, account } = turn;
  const round = { ...turn.round, began_at: turn.round.began_at ?? ctx.now };
  const readings = new Map([...turn.readings, [after.calendar_id, after]]);
  writeReading(ctx, account.id, after);
  writeRound(ctx, account.id, round);
  if (stepOf({ job, account, round, readings }, ctx.now).kind === "end") await endRound(ctx, { job, account, readings });
  else release(ctx, job, ctx.now);
}

// --- rows ---

function writeReading(ctx: Ctx, accountId: string, reading: Reading): void {
  const { calendar_id, cursor, page, listing, listed_at, listed_from, listed_to, events, read_at, error } = reading;
  write(ctx, {
    name: "calendar.move",
    text: `insert into calendar (organization_id, account_id, calendar_id, cursor, page, listing, listed_at, listed_from, listed_to, events,
             read_at, error)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
           on conflict (organization_id, account_id, calendar_id) do update set cursor = excluded.cursor, page = excluded.page,
             listing = excluded.listing, listed_at = excluded.listed_at, listed_from = excluded.listed_from, listed_to = excluded.listed_to,
             events = excluded.events, read_at = excluded.read_at, error = excluded.error`,
    values: [
      ctx.organization_id,
      accountId,
      calendar_id,
      cursor,
      page,
      listing,
      listed_at,
      listed_from,
      listed_to,
      events,
      read_at,
      error,
    ],
  });
}

export function writeRound(ctx: Ctx, accountId: string, { calendars_at, began_at, failures, failing_since }: Round): void {
  write(ctx, {
    name: "calendar_round.write",
    text: `insert into calendar_round (organization_id, account_id, calendars_at, began_at, failures, failing_since)
           values ($1, $2, $3, $4, $5, $6)
           on conflict (organization_id, account_id) do update set calendars_at = excluded.calendars_at, began_at = excluded.began_at,
             failures = excluded.failures, failing_since = excluded.failing_since`,
    values: [ctx.organization_id, accountId, calendars_at, began_at, failures, failing_since],
  });
}
