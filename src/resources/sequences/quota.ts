// How much a sequence sends on a day, by sender, by the recipient's domain and in all, and how long a sender waits between two
// messages. A step that may be taken later today gets its moment, and comes back for it. Other steps wait for another day.
// Follow-ups come before first messages, so that a sender with too many contacts keeps up with those it has begun with.
import { Temporal } from "temporal-polyfill";
import { type Ctx, query, transactionOf, write } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { endOfDay, pgTimestamp, todayIn } from "../../values/time.ts";
import type { connectedAccount } from "../accounts/connected_account.ts";
import { automaticCapOf, sentToday } from "../mail_out/daily_cap.ts";
import { organizationOf } from "../organization/organization.ts";
import { openAt } from "./due.ts";
import { people } from "./schedule.ts";
import type { sequence } from "./sequence.ts";
import type { sequenceSubscription } from "./sequence_subscription.ts";

type Sequence = Row<typeof sequence>;
type Subscription = Row<typeof sequenceSubscription>;
type Account = Row<typeof connectedAccount>;

export interface Errand {
  of: Sequence;
  way: Subscription;
  /** The mailbox; null for a message to a number. */
  account: Account | null;
  /** The recipient's domain; null for a message to a number. */
  domain: string | null;
  /** The zone of the sequence's hours. */
  zone: string;
}

/** Now, when it may be sent; or when to ask again, with what to store until then. */
export type Place = { now: true } | { now: false; at: Date; values: Pick<Subscription, "slot_at" | "throttled_since"> };

const go: Place = { now: true };

export async function takePlace(ctx: Ctx, errand: Errand): Promise<Place> {
  const { of, way, account } = errand;
  const day = todayIn(ctx.now, dayZone(ctx, of));
  if (way.slot_at !== null && way.slot_at <= ctx.now.toISOString() && todayIn(new Date(way.slot_at), dayZone(ctx, of)) === day)
    return go;
  const limits = limitsOf(errand);
  const mailboxCap = account === null ? null : automaticCapOf(ctx, account);
  const throttle = of.throttle ?? {};
  const paces = throttle.min_gap_seconds !== undefined || throttle.jitter_seconds !== undefined;
  if (limits.length === 0 && mailboxCap === null && !paces) return go;

  const sender = `mailbox ${account?.email ?? way.from_phone_number_id ?? way.created_by}`;
  const lines = [...limits.map(({ name }) => name), sender];
  const taken = await lockLines(ctx, lines, day);
  const senderCap = throttle.max_per_sender_per_day ?? Infinity;
  const load = account === null ? { all: 0, automatic: 0 } : await mailboxLoad(ctx, account);
  const already = taken.get(sender)!.taken;
  const own = Math.min(...limits.map(({ name, most }) => most - taken.get(name)!.taken));
  const shared = Math.min(senderCap - Math.max(already, load.automatic), (mailboxCap ?? Infinity) - Math.max(already, load.all));
  if (await isFull(ctx, errand, own, shared)) return anotherDay(ctx, errand, Math.min(senderCap, mailboxCap ?? Infinity));

  const at = paces ? momentFor(ctx, errand, taken.get(sender)!.free_at) : ctx.now;
  const slot = openAt(ctx, of, errand.zone, at);
  if (slot > at || todayIn(at, dayZone(ctx, of)) !== day) return later(way, ctx, slot, null);
  const free_at = paces ? new Date(at.getTime() + (throttle.min_gap_seconds ?? 0) * 1000) : null;
  takeLines(ctx, lines, day, free_at);
  return at > ctx.now ? later(way, ctx, at, at.toISOString()) : go;
}

/** What is left of the sequence's own limits, and of what its sender may send in all sequences. Follow-ups of today come first. */
async function isFull(ctx: Ctx, errand: Errand, own: number, shared: number): Promise<boolean> {
  const left = Math.min(own, shared);
  if (left <= 0 || left === Infinity || errand.way.initial_email_id !== null) return left <= 0;
  const promised = await followUpsToday(ctx, errand);
  return Math.min(own - promised.own, shared - promised.all) <= 0;
}

const later = (way: Subscription, ctx: Ctx, at: Date, slot_at: string | null): Place => ({
  now: false,
  at,
  values: { slot_at, throttled_since: way.throttled_since ?? ctx.now.toISOString() },
});

/** The days of a sequence are those of its own zone, or of the organization's when its hours are those of a person. */
const dayZone = ({ directory }: Ctx, { timezone }: Sequence): string =>
  people.includes(timezone) ? organizationOf(directory).timezone : timezone;

interface Limit {
  name: string;
  most: number;
}

function limitsOf({ of, way, domain }: Errand): Limit[] {
  const { max_per_sender_per_day, max_per_sequence_per_day, max_per_recipient_domain_per_day } = of.throttle ?? {};
  const sender = way.sender_account_id ?? way.from_phone_number_id ?? way.created_by;
  const limits: [string, number | undefined][] = [
    [`sender ${of.id} ${sender}`, max_per_sender_per_day],
    [`sequence ${of.id}`, max_per_sequence_per_day],
    [`domain ${of.id} ${domain}`, domain === null ? undefined : max_per_recipient_domain_per_day],
  ];
  return limits.flatMap(([name, most]) => (most === undefined ? [] : [{ name, most }]));
}

/** After the one before it and the gap, and up to the jitter later. */
function momentFor({ now }: Ctx, { of }: Errand, free_at: Date | null): Date {
  const earliest = Math.max(now.getTime(), free_at?.getTime() ?? 0);
  return new Date(earliest + Math.floor(Math.random() * (of.throttle?.jitter_seconds ?? 0) * 1000));
}

/**
 * The first of these days is tomorrow. Where many wait for the same sender, they are spread over the days that it will take, so
 * that not all of them ask again each morning. One that has waited already asks again tomorrow.
 */
async function anotherDay(ctx: Ctx, errand: Errand, cap: number): Promise<Place> {
  const { of, way, zone } = errand;
  const ahead = way.throttled_since === null && cap < Infinity ? await waitingAhead(ctx, way) : 0;
  const tomorrow = Temporal.PlainDate.from(todayIn(ctx.now, dayZone(ctx, of))).add({ days: 1 + Math.floor(ahead / cap) });
  const begins = tomorrow.toZonedDateTime(dayZone(ctx, of)).epochMilliseconds;
  return later(way, ctx, openAt(ctx, of, zone, new Date(begins)), null);
}

// --- counts ---

interface Line {
  taken: number;
  free_at: Date | null;
}

/** The lines of this day, locked until the transaction ends, in one order. */
async function lockLines(ctx: Ctx, names: readonly string[], day: string): Promise<Map<string, Line>> {
  const rows = await transactionOf(ctx).read({
    name: "sequence_quota.lock",
    text: `insert into sequence_quota as q (organization_id, name, day, taken, date_created)
           select $1, n, $3, 0, $4 from unnest($2::text[]) n order by n
           on conflict (organization_id, name, day) do update set taken = q.taken returning name, taken, free_at`,
    values: [ctx.organization_id, names, day, ctx.now],
  });
  return new Map(
    rows.map(([name, taken, free_at]) => [
      name!,
      { taken: Number(taken), free_at: free_at == null ? null : new Date(pgTimestamp(free_at)) },
    ]),
  );
}

function takeLines(ctx: Ctx, names: readonly string[], day: string, free_at: Date | null): void {
  write(ctx, {
    name: "sequence_quota.take",
    text: `update sequence_quota set taken = taken + 1, free_at = coalesce($4, free_at)
           where organization_id = $1 and name = any($2) and day = $3`,
    values: [ctx.organization_id, names, day, free_at],
  });
}

/** What the mailbox has sent today, or is just sending, and what waits to be sent by it: in all, and without what people write. */
async function mailboxLoad(ctx: Ctx, account: Account): Promise<{ all: number; automatic: number }> {
  const [row] = await query(
    ctx,
    statement(
      sql`select count(*), count(*) filter (where num_nonnulls(sequence_id, bulk_email_action_id, automation_run_id) > 0)
        from activity where organization_id = ${ctx.organization_id} and email_account_id = ${account.id}
        and send_after is not null and sending_at is null`,
      "sequence_quota.outbox",
    ),
  );
  const sent = await sentToday(ctx, account);
  return { all: Number(row![0]) + sent.all, automatic: Number(row![1]) + sent.automatic };
}

/** The follow-ups of its sender that fall due before the day ends: of the sequence, and of all that run. */
async function followUpsToday(ctx: Ctx, { of, way }: Errand): Promise<{ own: number; all: number }> {
  const zone = dayZone(ctx, of);
  const ends = new Date(endOfDay(todayIn(ctx.now, zone), zone));
  const [row] = await query(
    ctx,
    statement(
      sql`select count(*) filter (where w.sequence_id = ${of.id}), count(*) from sequence_subscription w
        join sequence s on s.organization_id = ${ctx.organization_id} and s.id = w.sequence_id and s.status = 'active'
        where w.organization_id = ${ctx.organization_id} and w.sender_account_id = ${way.sender_account_id} and w.status = 'active'
          and w.next_step_at < ${ends} and w.initial_email_id is not null and w.slot_at is null`,
      "sequence_quota.follow_ups",
    ),
  );
  return { own: Number(row![0]), all: Number(row![1]) };
}

async function waitingAhead(ctx: Ctx, { sender_account_id, sequence_id }: Subscription): Promise<number> {
  const [row] = await query(
    ctx,
    statement(
      sql`select count(*) from sequence_subscription where organization_id = ${ctx.organization_id}
        and sender_account_id = ${sender_account_id} and status = 'active' and next_step_at > ${ctx.now}
        and throttled_since is not null and slot_at is null and sequence_id = ${sequence_id}`,
      "sequence_quota.ahead",
    ),
  );
  return Number(row![0]);
}
