// The tables that connect calendar events with meetings: which calendars contain each event, and which meeting it is. They are
// read and written a page at a time.
import { type Ctx, transactionOf, write } from "../../core/context.ts";
import { pgTimestamp } from "../../values/time.ts";
import type { Said } from "../activities/calendar_meetings.ts";

/** A calendar of an account. */
export interface Place {
  account_id: string;
  calendar_id: string;
}

export interface Copy {
  event_id: string;
  uid: string;
  occurrence: string;
  series_id: string | null;
  is_exception: boolean;
  starts_at: string;
  ends_at: string;
}

/** The identity of a meeting, which is the same in all calendars. */
export interface Identity {
  uid: string;
  occurrence: string;
  activity_id: string | null;
  said: Said;
  /** The copy that the meeting's content comes from. */
  account_id: string | null;
  calendar_id: string | null;
  event_id: string | null;
  is_organizer: boolean;
}

export const keyOf = ({ uid, occurrence }: Pick<Identity, "uid" | "occurrence">): string => `${uid}\n${occurrence}`;

/** The copies of these events, and of all events in these series. */
export async function readCopies(
  ctx: Ctx,
  { account_id, calendar_id }: Place,
  eventIds: readonly string[],
  seriesIds: readonly string[],
): Promise<Copy[]> {
  const rows = await transactionOf(ctx).read({
    name: "calendar_copy.of_page",
    text: `select event_id, uid, occurrence, series_id, is_exception, starts_at, ends_at from calendar_copy
           where organization_id = $1 and account_id = $2 and calendar_id = $3 and event_id = any($4)
           union
           select event_id, uid, occurrence, series_id, is_exception, starts_at, ends_at from calendar_copy
           where organization_id = $1 and account_id = $2 and calendar_id = $3 and series_id = any($5)`,
    values: [ctx.organization_id, account_id, calendar_id, eventIds, seriesIds],
  });
  return rows.map((row) => ({
    event_id: row[0]!,
    uid: row[1]!,
    occurrence: row[2]!,
    series_id: row[3]!,
    is_exception: row[4] === "t",
    starts_at: pgTimestamp(row[5]!),
    ends_at: pgTimestamp(row[6]!),
  }));
}

/** How many occurrences of each series a calendar has. */
export async function countSeries(ctx: Ctx, place: Place, seriesIds: readonly string[]): Promise<Map<string, number>> {
  if (seriesIds.length === 0) return new Map();
  const rows = await transactionOf(ctx).read({
    name: "calendar_copy.count_series",
    text: `select series_id, count(*) from calendar_copy
           where organization_id = $1 and account_id = $2 and calendar_id = $3 and series_id = any($4) group by series_id`,
    values: [ctx.organization_id, place.account_id, place.calendar_id, seriesIds],
  });
  return new Map(rows.map(([id, count]) => [id!, Number(count)]));
}

/**
 * Reads and locks the identities of meetings. Missing ones are created. When the same meeting is filed twice at once, it becomes
 * one meeting. The identities of a page are locked in one order, so that there is no deadlock.
 */
export async function lockIdentities(
  ctx: Ctx,
  those: readonly Pick<Identity, "uid" | "occurrence">[],
): Promise<Map<string, Identity>> {
  if (those.length === 0) return new Map();
  const values = [ctx.organization_id, those.map(({ uid }) => uid), those.map(({ occurrence }) => occurrence)];
  write(ctx, {
    name: "calendar_meeting.make",
    text: `insert into calendar_meeting (organization_id, uid, occurrence)
           select distinct $1::text, w.uid, w.occurrence from unnest($2::text[], $3::text[]) w(uid, occurrence) order by 2, 3
           on conflict (organization_id, uid, occurrence) do nothing`,
    values,
  });
  const rows = await transactionOf(ctx).read({
    name: "calendar_meeting.lock",
    text: `select m.uid, m.occurrence, m.activity_id, m.said, m.account_id, m.calendar_id, m.event_id, m.is_organizer
           from calendar_meeting m
           where m.organization_id = $1 and (m.uid, m.occurrence) in (select w.uid, w.occurrence from unnest($2::text[], $3::text[]) w(uid, occurrence))
           order by m.uid, m.occurrence for update of m`,
    values,
  });
  return new Map(
    rows
      .map((row) => ({
        uid: row[0]!,
        occurrence: row[1]!,
        activity_id: row[2]!,
        said: row[3] as Said,
        account_id: row[4]!,
        calendar_id: row[5]!,
        event_id: row[6]!,
        is_organizer: row[7] === "t",
      }))
      .map((one) => [keyOf(one), one]),
  );
}

/** Stores the changed identities. */
export function writeIdentities(ctx: Ctx, those: readonly Identity[]): void {
  if (those.length === 0) return;
  write(ctx, {
    name: "calendar_meeting.write",
    text: `update calendar_meeting m set activity_id = n.activity_id, said = n.said, account_id = n.account_id, calendar_id = n.calendar_id,
             event_id = n.event_id, is_organizer = n.is_organizer
           from json_to_recordset($2::json) n(uid text, occurrence text, activity_id text, said text, account_id text, calendar_id text,
             event_id text, is_organizer boolean)
           where m.organization_id = $1 and m.uid = n.uid and m.occurrence = n.occurrence`,
    values: [ctx.organization_id, JSON.stringify(those)],
  });
}

/** A copy of the meeting in another calendar. */
export interface OtherCopy extends Place {
  event_id: string;
  user_id: string;
}

/** The copies of meetings in all calendars but one, by identity. */
export async function otherCopies(
  ctx: Ctx,
  { account_id, calendar_id }: Place,
  those: readonly Pick<Identity, "uid" | "occurrence">[],
): Promise<Map<string, OtherCopy[]>> {
  if (those.length === 0) return new Map();
  const rows = await transactionOf(ctx).read({
    name: "calendar_copy.others",
    text: `select c.uid, c.occurrence, c.account_id, c.calendar_id, c.event_id, c.user_id from calendar_copy c
           where c.organization_id = $1 and (c.uid, c.occurrence) in (select w.uid, w.occurrence from unnest($2::text[], $3::text[]) w(uid, occurrence))
             and (c.account_id, c.calendar_id) <> ($4, $5) and c.gone_at is null
           order by c.account_id, c.calendar_id, c.event_id`,
    values: [
      ctx.organization_id,
      those.map(({ uid }) => uid),
      those.map(({ occurrence }) => occurrence),
      account_id,
      calendar_id,
    ],
  });
  const copies = rows.map((row) => ({
    uid: row[0]!,
    occurrence: row[1]!,
    account_id: row[2]!,
    calendar_id: row[3]!,
    event_id: row[4]!,
    user_id: row[5]!,
  }));
  return Map.groupBy(copies, keyOf);
}

/** Records that events are in a calendar. */
export function writeCopies(
  ctx: Ctx,
  { account_id, calendar_id }: Place,
  { user_id, listing }: { user_id: string; listing: number },
  copies: readonly Copy[],
): void {
  if (copies.length === 0) return;
  write(ctx, {
    name: "calendar_copy.write",
    text: `insert into calendar_copy (organization_id, account_id, calendar_id, user_id, listing, event_id, uid, occurrence, series_id,
             is_exception, starts_at, ends_at)
           select $1, $2, $3, $4, $5, n.event_id, n.uid, n.occurrence, n.series_id, n.is_exception, n.starts_at, n.ends_at
           from json_to_recordset($6::json) n(event_id text, uid text, occurrence text, series_id text, is_exception boolean,
             starts_at timestamptz, ends_at timestamptz)
           on conflict (organization_id, account_id, calendar_id, event_id) do update set listing = excluded.listing,
             series_id = excluded.series_id, is_exception = excluded.is_exception, starts_at = excluded.starts_at,
             ends_at = excluded.ends_at, gone_at = null`,
    values: [ctx.organization_id, account_id, calendar_id, user_id, listing, JSON.stringify(copies)],
  });
}

/** Records that events are no longer in a calendar. */
export function markGone(ctx: Ctx, { account_id, calendar_id }: Place, eventIds: readonly string[]): void {
  if (eventIds.length === 0) return;
  write(ctx, {
    name: "calendar_copy.mark_gone",
    text: `update calendar_copy set gone_at = $5
           where organization_id = $1 and account_id = $2 and calendar_id = $3 and event_id = any($4) and gone_at is null`,
    values: [ctx.organization_id, account_id, calendar_id, eventIds, ctx.now],
  });
}

/** The same for events in the listed period that the listing did not contain. */
export function markUnseen(ctx: Ctx, { account_id, calendar_id }: Place, listing: number, from: Date, to: Date): void {
  write(ctx, {
    name: "calendar_copy.mark_unseen",
    text: `update calendar_copy set gone_at = $7
           where organization_id = $1 and account_id = $2 and calendar_id = $3 and listing < $4 and starts_at >= $5 and starts_at < $6
             and gone_at is null`,
    values: [ctx.organization_id, account_id, calendar_id, listing, from, to, ctx.now],
  });
}

/** Removes up to `most` copies that are gone, from all calendars of an account. Returns the identities of their meetings. */
export async function takeGone(ctx: Ctx, accountId: string, most: number): Promise<Pick<Identity, "uid" | "occurrence">[]> {
  const rows = await transactionOf(ctx).read({
    name: "calendar_copy.take_gone",
    text: `with chosen as materialized (
             select calendar_id, event_id from calendar_copy where organization_id = $1 and account_id = $2 and gone_at is not null
             order by calendar_id, event_id limit $3)
           delete from calendar_copy c using chosen
           where c.organization_id = $1 and c.account_id = $2 and c.calendar_id = chosen.calendar_id and c.event_id = chosen.event_id
           returning c.uid, c.occurrence`,
    values: [ctx.organization_id, accountId, most],
  });
  return rows.map(([uid, occurrence]) => ({ uid: uid!, occurrence: occurrence! }));
}
