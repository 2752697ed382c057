// How much a sequence sends on a day, by sender, by the recipient's domain and in all, and how long a sender waits between two
// messages. A step that may be taken later today gets its moment, and comes back for it. Other steps wait for another day.
// Follow-ups come before first messages, so that a sender with too many contacts keeps up with those it has begun with.
import { type Ctx, query, transactionOf, write } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { endOfDay, pgTimestamp, todayIn } from "../../values/time.ts";
import type { connectedAccount } from "../accounts/connected_account.ts";
import { automaticCapOf, sentToday } from "../mail_out/daily_cap.ts";
import { openAt } from "./due.ts";
import { dayForAllAlike, dayInQueue, type Waiting } from "./queue.ts";
import type { sequenceSubscription } from "./sequence_subscription.ts";
import { dayZone } from "./zone.ts";

type Subscription = Row<typeof sequenceSubscription>;
type Account = Row<typeof connectedAccount>;

export interface Errand extends Waiting {
  /** The mailbox; null for a message to a number. */
  account: Account | null;
  /** The recipient's domain; null for a message to a number. */
  domain: string | null;
}

/** Now, when it may be sent; or when to ask again, with what to store until then. */
export type Place = { now: true } | { now: false; at: Date; values: Pick<Subscription, "slot_at" | "throttled_since"> };

const go: Place = { now: true };

export async function takePlace(ctx: Ctx, errand: Errand): Promise<Place> {
  const { of, way, account, zone } = errand;
  const dayOf = (at: Date) => todayIn(at, dayZone(ctx, of));
  const day = dayOf(ctx.now);
  if (way.slot_at !== null && way.slot_at <= ctx.now.toISOString() && dayOf(new Date(way.slot_at)) === day) return go;
  const limits = limitsOf(errand);
  const { min_gap_seconds, jitter_seconds } = of.throttle ?? {};
  const paces = min_gap_seconds !== undefined || jitter_seconds !== undefined;
  if (limits.length === 0 && capOfMailbox(ctx, errand) === null && !paces) return go;

  const sender = `mailbox ${account?.email ?? way.from_phone_number_id ?? way.created_by}`;
  const room = await roomOn(ctx, errand, limits, sender, day);
  const free_at = paces ? room.free_at : null;
  // Those before it and the gaps between them fill the day.
  const isOver = free_at !== null && free_at > ctx.now && dayOf(openAt(ctx, of, zone, free_at)) !== day;
  if (isOver || room.isFull) return later(way, ctx, await dayForAllAlike(ctx, errand, room.perDay), null);
  if (room.isFullForDomain) return later(way, ctx, await dayInQueue(ctx, errand, room.perDay), null);

  const at = paces ? momentFor(ctx, errand, free_at) : ctx.now;
  const slot = openAt(ctx, of, zone, at);
  if (slot > at || dayOf(at) !== day) return later(way, ctx, slot, null);
  const next = paces ? new Date(at.getTime() + (min_gap_seconds ?? 0) * 1000) : null;
  takeLines(ctx, [...limits.map(({ name }) => name), sender], day, next);
  return at > ctx.now ? later(way, ctx, at, at.toISOString()) : go;
}

interface Room {
  /** Nothing is left for the sender, whoever it writes to; or for the recipient's domain. */
  isFull: boolean;
  isFullForDomain: boolean;
  /** The sender waits until then. */
  free_at: Date | null;
  /** How many get a place on a day at most. */
  perDay: number;
}

/** What is left of the sequence's own limits, and of what its sender may send in all sequences. Follow-ups of today come first. */
async function roomOn(ctx: Ctx, errand: Errand, limits: readonly Limit[], sender: string, day: string): Promise<Room> {
  const { account } = errand;
  // All are asked at once; what comes after the lock is counted after it.
  const [taken, load, promised] = await Promise.all([
    lockLines(ctx, [...limits.map(({ name }) => name), sender], day),
    account === null ? { all: 0, automatic: 0 } : mailboxLoad(ctx, account),
    promisedToday(ctx, errand),
  ]);
  const { max_per_sender_per_day: senderCap = Infinity, min_gap_seconds } = errand.of.throttle ?? {};
  const mailboxCap = capOfMailbox(ctx, errand) ?? Infinity;
  const { taken: already, free_at } = taken.get(sender)!;
  const shared = Math.min(senderCap - Math.max(already, load.automatic), mailboxCap - Math.max(already, load.all));
  const isFull = (those: readonly Limit[]) => {
    const own = Math.min(...those.map(({ name, most }) => most - taken.get(name)!.taken));
    return Math.min(own - promised.own, shared - promised.all) <= 0;
  };
  const ofSender = limits.filter(({ isOfDomain }) => !isOfDomain);
  const perGap = min_gap_seconds ? Math.ceil(86_400 / min_gap_seconds) : Infinity;
  return {
    isFull: isFull(ofSender),
    isFullForDomain: isFull(limits),
    free_at,
    perDay: Math.max(1, Math.min(mailboxCap, perGap, ...ofSender.map(({ most }) => most))),
  };
}

const capOfMailbox = (ctx: Ctx, { account }: Errand): number | null => (account === null ? null : automaticCapOf(ctx, account));

const later = (way: Subscription, ctx: Ctx, at: Date, slot_at: string | null): Place => ({
  now: false,
  at,
  values: { slot_at, throttled_since: way.throttled_since ?? ctx.now.toISOString() },
});

interface Limit {
  name: string;
  most: number;
  isOfDomain: boolean;
}

function limitsOf({ of, way, domain }: Errand): Limit[] {
  const { max_per_sender_per_day, max_per_sequence_per_day, max_per_recipient_domain_per_day } = of.throttle ?? {};
  const sender = way.sender_account_id ?? way.from_phone_number_id ?? way.created_by;
  const limits: [string, number | undefined, boolean][] = [
    [`sender ${of.id} ${sender}`, max_per_sender_per_day, false],
    [`sequence ${of.id}`, max_per_sequence_per_day, false],
    [`domain ${of.id} ${domain}`, domain === null ? undefined : max_per_recipient_domain_per_day, true],
  ];
  return limits.flatMap(([name, most, isOfDomain]) => (most === undefined ? [] : [{ name, most, isOfDomain }]));
}

/** After the one before it and the gap, and up to the jitter later. */
function momentFor({ now }: Ctx, { of }: Errand, free_at: Date | null): Date {
  const earliest = Math.max(now.getTime(), free_at?.getTime() ?? 0);
  return new Date(earliest + Math.floor(Math.random() * (of.throttle?.jitter_seconds ?? 0) * 1000));
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
  const waiting = statement(
    sql`select count(*), count(*) filter (where num_nonnulls(sequence_id, bulk_email_action_id, automation_run_id) > 0)
      from activity where organization_id = ${ctx.organization_id} and email_account_id = ${account.id}
      and send_after is not null and sending_at is null`,
    "sequence_quota.outbox",
  );
  const [[row], sent] = await Promise.all([query(ctx, waiting), sentToday(ctx, account)]);
  return { all: Number(row![0]) + sent.all, automatic: Number(row![1]) + sent.automatic };
}

/** Before first messages go the follow-ups of its sender that fall due before the day ends: of the sequence, and of all that run. */
async function promisedToday(ctx: Ctx, { of, way }: Errand): Promise<{ own: number; all: number }> {
  if (way.initial_email_id !== null) return { own: 0, all: 0 };
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
