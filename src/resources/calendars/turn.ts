// The state of a turn. A turn does one thing for the calendars of an account: it lists them, reads a page of one, or ends the
// round.
import { type Ctx, read } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import type { TextRow } from "../../db/database.ts";
import type { Job } from "../../jobs/job.ts";
import { pgTimestamp } from "../../values/time.ts";
import type { connectedAccount } from "../accounts/connected_account.ts";

export type Account = Row<typeof connectedAccount>;

/** How far a calendar has been read. */
export interface Reading {
  calendar_id: string;
  cursor: string | null;
  page: string | null;
  listing: number;
  listed_at: Date | null;
  listed_from: Date | null;
  listed_to: Date | null;
  events: number;
  read_at: Date | null;
  error: string | null;
}

export interface Round {
  calendars_at: Date | null;
  began_at: Date | null;
  failures: number;
  failing_since: Date | null;
}

export interface Turn {
  job: Job;
  account: Account;
  round: Round;
  /** The calendars that were read before. */
  readings: ReadonlyMap<string, Reading>;
}

/** The stored state of an account's calendars. Within the turn's transaction nobody else changes it. */
export async function readTurn(ctx: Ctx, job: Job, account: Account): Promise<Turn> {
  const [round, readings] = await Promise.all([readRound(ctx, account.id), readReadings(ctx, account.id)]);
  return { job, account, round, readings };
}

async function readRound(ctx: Ctx, accountId: string): Promise<Round> {
  const [row] = await read(ctx, {
    name: "calendar_round.read",
    text: `select calendars_at, began_at, failures, failing_since from calendar_round where organization_id = $1 and account_id = $2`,
    values: [ctx.organization_id, accountId],
  });
  if (row === undefined) return { calendars_at: null, began_at: null, failures: 0, failing_since: null };
  const [calendars_at, began_at, failures, failing_since] = row;
  return {
    calendars_at: instant(calendars_at!),
    began_at: instant(began_at!),
    failures: Number(failures),
    failing_since: instant(failing_since!),
  };
}

async function readReadings(ctx: Ctx, accountId: string): Promise<Map<string, Reading>> {
  const rows = await read(ctx, {
    name: "calendar.read",
    text: `select calendar_id, cursor, page, listing, listed_at, listed_from, listed_to, events, read_at, error from calendar
           where organization_id = $1 and account_id = $2`,
    values: [ctx.organization_id, accountId],
  });
  return new Map(rows.map((row) => [row[0]!, readingOf(row)]));
}

const readingOf = (row: TextRow): Reading => ({
  calendar_id: row[0]!,
  cursor: row[1]!,
  page: row[2]!,
  listing: Number(row[3]),
  listed_at: instant(row[4]!),
  listed_from: instant(row[5]!),
  listed_to: instant(row[6]!),
  events: Number(row[7]),
  read_at: instant(row[8]!),
  error: row[9]!,
});

const instant = (text: string | null): Date | null => (text === null ? null : new Date(pgTimestamp(text)));
