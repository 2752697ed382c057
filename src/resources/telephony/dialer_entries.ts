// The entries of a dialer: its leads, each in its place. An entry is pending until somebody gets it, then leased to them, and at last called
// or skipped. Whoever changes entries holds the lock of their dialer.
import { type Ctx, query, write } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { from, type Row, scope } from "../../core/resource.ts";
import { and, empty, type Sql, sql, statement } from "../../db/sql.ts";
import { pgTimestamp } from "../../values/time.ts";
import { lead } from "../leads/lead.ts";
import type { Address } from "../shared/contact_points.ts";
import { isDialable } from "./dialable.ts";
import type { dialer } from "./dialer.ts";
import { stoppedReason } from "./dialer_jobs.ts";
import { isDue } from "./sequence_calls.ts";
import { type Candidate, lookBack, type SkipRules, whenToCall } from "./skip_rules.ts";

type Dialer = Row<typeof dialer>;

/** How many leads of the dialer were called and skipped. */
export type Counts = Pick<Dialer, "n_called" | "n_skipped">;

/** Whom to call next. */
export interface Found {
  position: number;
  lead_id: string;
  contact_id: string;
  /** The contact's number, as it is stored. */
  phone: { phone: string };
}

export interface Entry extends Found {
  /** `dialing`: the dialer itself has the lead called. */
  state: "pending" | "leased" | "dialing" | "called" | "skipped";
  user_id: string | null;
  call_id: string | null;
}

// --- their ids ---

export const entryId = ({ id }: Pick<Dialer, "id">, { position }: Pick<Found, "position">): string => `${id}-${position}`;

/** The position in the id of an entry. */
export function positionOf({ id }: Dialer, entry_id: string): number {
  const [, of, position] = /^(.+)-([1-9]\d{0,5})$/.exec(entry_id) ?? [];
  if (of !== id) throw invalid({ entry_id: "is not an entry of this dialer" });
  return Number(position);
}

const ofDialer = (ctx: Ctx, { id }: Pick<Dialer, "id">): Sql =>
  sql`e.organization_id = ${ctx.organization_id} and e.dialer_id = ${id}`;

// --- what was handed out ---

export async function entryAt(ctx: Ctx, of: Dialer, position: number): Promise<Entry | null> {
  return (await entries(ctx, sql`${ofDialer(ctx, of)} and e.position = ${position}`))[0] ?? null;
}

/** The entry that the caller got last. */
export async function lastOf(ctx: Ctx, of: Dialer): Promise<Entry | null> {
  const mine = sql`e.user_id = ${ctx.actor.user_id} and e.taken_at is not null and e.state <> 'pending'`;
  return (await entries(ctx, sql`${ofDialer(ctx, of)} and ${mine} order by e.taken_at desc, e.position desc limit 1`))[0] ?? null;
}

/** What the caller got and has neither called nor given back: it is returned again, as its first answer may have been lost. */
export async function liveOf(ctx: Ctx, of: Dialer): Promise<Entry | null> {
  const mine = sql`e.user_id = ${ctx.actor.user_id} and e.state = 'leased' and e.lease_until > ${ctx.now} and not ${wasCalled(ctx)}`;
  return (await entries(ctx, sql`${ofDialer(ctx, of)} and ${mine} order by e.taken_at desc, e.position desc limit 1`))[0] ?? null;
}

/** How many are somebody's at the moment. `position` is that of the last one that was returned. */
export async function countOpen(ctx: Ctx, of: Pick<Dialer, "id" | "position">): Promise<number> {
  const [row] = await query(
    ctx,
    statement(sql`select count(*) from dialer_lead e
      where ${ofDialer(ctx, of)} and e.state in ('leased', 'dialing') and e.position <= ${of.position}`),
  );
  return Number(row![0]);
}

async function entries(ctx: Ctx, where: Sql): Promise<Entry[]> {
  const rows = await query(
    ctx,
    statement(
      sql`select e.position, e.lead_id, e.contact_id, e.phone, e.state, e.user_id, e.call_id from dialer_lead e where ${where}`,
    ),
  );
  return rows.map(([position, lead_id, contact_id, phone, state, user_id, call_id]) => ({
    position: Number(position),
    lead_id: lead_id!,
    contact_id: contact_id!,
    phone: JSON.parse(phone ?? "null"),
    state: state as Entry["state"],
    user_id: user_id!,
    call_id: call_id!,
  }));
}

/** For so long a lead is one member's alone. */
const leaseMs = 10 * 60_000;

export function lease(ctx: Ctx, of: Dialer, { position, contact_id, phone }: Found): void {
  const until = new Date(ctx.now.getTime() + leaseMs);
  write(
    ctx,
    statement(sql`update dialer_lead e set state = 'leased', lease_until = ${until}, taken_at = ${ctx.now}, user_id = ${ctx.actor.user_id},
        contact_id = ${contact_id}, phone = ${JSON.stringify(phone)}, wait_until = null
      where ${ofDialer(ctx, of)} and e.position = ${position}`),
  );
}

export function settle(ctx: Ctx, of: Dialer, { position }: Entry, state: "called" | "skipped", outcome: string | null): void {
  write(
    ctx,
    statement(sql`update dialer_lead e set state = ${state}, lease_until = null, outcome = coalesce(${outcome}, e.outcome)
      where ${ofDialer(ctx, of)} and e.position = ${position}`),
  );
}

/**
 * Leases that are over: what its member called from the dialer counts as called, and the rest is handed out again. Returns how many were called.
 */
export async function endLeases(ctx: Ctx, of: Dialer): Promise<number> {
  const rows = await query(
    ctx,
    statement(sql`update dialer_lead e set lease_until = null, state = case when ${wasCalled(ctx)} then 'called' else 'pending' end
      where ${ofDialer(ctx, of)} and e.state = 'leased' and e.lease_until <= ${ctx.now} returning e.state`),
  );
  return rows.filter(([state]) => state === "called").length;
}

const wasCalled = (ctx: Ctx): Sql => sql`exists (select from activity a where a.organization_id = ${ctx.organization_id}
  and a.lead_id = e.lead_id and a._type = 'Call' and a.dialer_id = e.dialer_id and a.date_created >= e.taken_at)`;

// --- what the dialer has called itself ---

/** The lead is called, and nobody has it yet. */
export function dial(ctx: Ctx, of: Dialer, { position, contact_id, phone }: Found, callId: string): void {
  write(
    ctx,
    statement(sql`update dialer_lead e set state = 'dialing', call_id = ${callId}, taken_at = ${ctx.now}, user_id = null,
        contact_id = ${contact_id}, phone = ${JSON.stringify(phone)}, wait_until = null
      where ${ofDialer(ctx, of)} and e.position = ${position}`),
  );
}

const callOf = (ctx: Ctx): Sql =>
  sql`select from activity a where a.organization_id = ${ctx.organization_id} and a.id = e.call_id`;

const isOpen = sql`a.status in ('created', 'in-progress')`;

/** Calls that are over. The leads of those that were never placed are called later. Returns how many others there were. */
export async function endDialed(ctx: Ctx, of: Dialer): Promise<number> {
  const isStopped = sql`exists (${callOf(ctx)} and a.status = 'failed' and a.error_message = ${stoppedReason})`;
  const rows = await query(
    ctx,
    statement(sql`update dialer_lead e set state = case when ${isStopped} then 'pending' else 'called' end
      where ${ofDialer(ctx, of)} and e.state = 'dialing' and not exists (${callOf(ctx)} and ${isOpen}) returning e.state`),
  );
  return rows.filter(([state]) => state === "called").length;
}

/** The calls of the dialer that nobody has answered yet: the provider's ids, null for those that it does not have. */
export async function ringing(ctx: Ctx, of: Dialer): Promise<(string | null)[]> {
  const rows = await query(
    ctx,
    statement(sql`select a.provider_id from dialer_lead e
      join activity a on a.organization_id = ${ctx.organization_id} and a.id = e.call_id and a.status = 'created'
      where ${ofDialer(ctx, of)} and e.state = 'dialing'`),
  );
  return rows.map(([id]) => id ?? null);
}

/** The lead of the call that the dialer has connected to the caller. */
export async function connectedTo(ctx: Ctx, of: Dialer): Promise<Entry | null> {
  const mine = sql`e.state = 'dialing' and e.user_id = ${ctx.actor.user_id} and exists (${callOf(ctx)} and ${isOpen})`;
  return (await entries(ctx, sql`${ofDialer(ctx, of)} and ${mine} order by e.taken_at desc limit 1`))[0] ?? null;
}

// --- what comes next ---

/** The next to be called; or until when all that is left waits; or null when nothing is left. `n_skipped` are those passed over. */
export interface Search {
  next: Found | Date | null;
  n_skipped: number;
}

/** How many entries are looked at in one statement, and how many times at once. */
const piece = 200;
const pieces = 50;

export async function findNext(ctx: Ctx, of: Dialer): Promise<Search> {
  let n_skipped = 0;
  for (let after = 0, i = 0; i < pieces; i++) {
    const found = await lookAt(ctx, of, after);
    const judged = found.map((one) => ({ ...one, next: judge(ctx, of.skip_rules, one) }));
    const first = judged.findIndex(({ next }) => next !== null && !(next instanceof Date));
    const passed = first < 0 ? judged : judged.slice(0, first);
    passOver(ctx, of, passed);
    n_skipped += passed.filter(({ next }) => next === null).length;
    if (first >= 0) return { next: judged[first]!.next, n_skipped };
    if (found.length < piece) return { next: await nextTurn(ctx, of), n_skipped };
    after = found.at(-1)!.position;
  }
  // There is more than one request should look at: the caller asks again at once.
  return { next: ctx.now, n_skipped };
}

interface Seen {
  position: number;
  lead_id: string;
  addresses: Address[];
  people: (Omit<Candidate, "addresses" | "phone"> & { contact_id: string; phone: { phone: string } })[];
}

/** Those whose turn it is, with everybody there who has a number. */
async function lookAt(ctx: Ctx, of: Dialer, after: number): Promise<Seen[]> {
  const rows = await query(
    ctx,
    statement(sql`select e.position, e.lead_id, t.addresses, coalesce(there.people, '[]')
      from dialer_lead e left join ${from(lead, "t")} on t.id = e.lead_id and ${and(scope(ctx, lead))}
      left join lateral (
        select json_agg(json_build_object('contact_id', c.id, 'timezone', c.timezone, 'do_not_call', c.do_not_call, 'phone', p.item,
          'attempts', ${lookBack(of.skip_rules) ? sql`calls.attempts` : sql`0`}, 'latest', ${lookBack(of.skip_rules) ? sql`calls.latest` : sql`null`})
          order by c.date_created, c.id, p.n) as people
        from contact c cross join lateral jsonb_array_elements(c.phones) with ordinality p(item, n)
          ${lookBack(of.skip_rules) ? callsTo(ctx) : empty}
        where c.organization_id = ${ctx.organization_id} and c.lead_id = t.id and (e.contact_ids is null or c.id = any(e.contact_ids))
          and ${isAskedFor(ctx)} and ${isDialable}) there on true
      where ${ofDialer(ctx, of)} and e.state = 'pending' and e.position > ${after} and (e.wait_until is null or e.wait_until <= ${ctx.now})
      order by e.position limit ${piece}`),
  );
  return rows.map(([position, lead_id, addresses, people]) => ({
    position: Number(position),
    lead_id: lead_id!,
    addresses: JSON.parse(addresses ?? "[]"),
    people: JSON.parse(people!),
  }));
}

/** A call of a sequence is with the contact of its task, as long as that is due. */
const isAskedFor = (ctx: Ctx): Sql => sql`(e.task_id is null or exists (select from task k
  where k.organization_id = ${ctx.organization_id} and k.id = e.task_id and k.contact_id = c.id and ${isDue(ctx, "k")}))`;

/** The calls that a contact got. What failed or was cancelled rang nobody, unless a dialer had dialed ahead. */
const callsTo = (
  ctx: Ctx,
): Sql => sql`cross join lateral (select count(*) as attempts, max(a.activity_at) as latest from activity a
  where a.organization_id = ${ctx.organization_id} and a._type = 'Call' and a.contact_id = c.id and a.direction = 'outbound'
    and a.status <> 'failed' and (a.status <> 'cancel' or a.call_method = 'predictive')) calls`;

/** The first who may be called now; or when the first of them may be; or null. */
function judge(ctx: Ctx, rules: SkipRules, { position, lead_id, addresses, people }: Seen): Found | Date | null {
  let earliest: Date | null = null;
  for (const { contact_id, phone, ...who } of people) {
    const at = whenToCall(ctx, rules, { ...who, addresses, phone: phone.phone });
    if (at !== null && at <= ctx.now) return { position, lead_id, contact_id, phone };
    if (at !== null && (earliest === null || at < earliest)) earliest = at;
  }
  return earliest;
}

function passOver(ctx: Ctx, of: Dialer, passed: readonly { position: number; next: Found | Date | null }[]): void {
  if (passed.length === 0) return;
  const times = passed.map(({ next }) => (next instanceof Date ? next : null));
  write(
    ctx,
    statement(sql`update dialer_lead e set wait_until = x.at, state = case when x.at is null then 'skipped' else 'pending' end
      from unnest(${passed.map(({ position }) => position)}::integer[], ${times}::timestamptz[]) x(position, at)
      where ${ofDialer(ctx, of)} and e.position = x.position`),
  );
}

/** How often it is worth asking while calls ring. */
const soonMs = 2_000;

/** When somebody may be called, or a lease or a call may have ended. Null when nothing is left. */
export async function nextTurn(ctx: Ctx, of: Dialer): Promise<Date | null> {
  const soon = new Date(ctx.now.getTime() + soonMs);
  const [row] = await query(
    ctx,
    statement(sql`select least(
        (select min(coalesce(e.wait_until, ${soon})) from dialer_lead e where ${ofDialer(ctx, of)} and e.state = 'pending'),
        (select min(${soon}::timestamptz) from dialer_lead e where ${ofDialer(ctx, of)} and e.state = 'dialing'),
        (select min(e.lease_until) from dialer_lead e where ${ofDialer(ctx, of)} and e.state = 'leased'))`),
  );
  return row?.[0] ? new Date(pgTimestamp(row[0])) : null;
}
