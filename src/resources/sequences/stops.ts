// Stops subscriptions because of something the contact did: they replied, mail to them bounced, they opted out, or they are away.
// Call these functions in the transaction that records it.
import { Temporal } from "temporal-polyfill";
import type { Ctx } from "../../core/context.ts";
import type { Row, Values } from "../../core/resource.ts";
import { and, or, type Sql, sql } from "../../db/sql.ts";
import { changedFields, emit } from "../../records/event.ts";
import { findRecords } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { emailKey } from "../../values/email.ts";
import type { NotificationType } from "../notifications/notification.ts";
import { notify } from "../notifications/notify.ts";
import { openAt } from "./due.ts";
import { isLive } from "./live_once.ts";
import { closeTask } from "./open_task.ts";
import { reopened } from "./resume.ts";
import { sequence } from "./sequence.ts";
import { nothingDue, type Stopped, sequenceSubscription } from "./sequence_subscription.ts";
import { wakeStep } from "./step_jobs.ts";
import { rulesOf } from "./stop_rules.ts";
import { replyCame } from "./wait_reply.ts";
import { zoneFor } from "./zone.ts";

type Subscription = Row<typeof sequenceSubscription>;
type Sequence = Row<typeof sequence>;

/** Which subscriptions: those that write to these addresses, and those of the contact and the subscription if known. */
export interface About {
  addresses: readonly string[];
  contact_id?: string | null;
  lead_id?: string | null;
  subscription_id?: string | null;
  /** When it happened: it stops only what had begun by then. What holds at any time, such as an opt-out, has none. */
  at?: string;
  /** Only those to this sequence. */
  sequence_id?: string;
  /** Not these. */
  except?: readonly string[];
}

interface Ending {
  status: Subscription["status"];
  reason: Subscription["status_reason"];
  event: "goal" | "failed" | "finished";
  /** The notification for the member who subscribed them. */
  tells: { type: NotificationType; title: string } | null;
}

const endings = {
  replied: {
    status: "goal",
    reason: "reply-received",
    event: "goal",
    tells: { type: "sequence_reply", title: "A contact replied and left the sequence" },
  },
  bounced: {
    status: "error",
    reason: "email-bounced",
    event: "failed",
    tells: { type: "sequence_error", title: "Mail bounced: a contact left the sequence" },
  },
  complained: {
    status: "finished",
    reason: "complained",
    event: "finished",
    tells: { type: "sequence_error", title: "A contact reported spam and left the sequence" },
  },
  unsubscribed: { status: "finished", reason: "unsubscribed", event: "finished", tells: null },
  met: { status: "goal", reason: "meeting-booked", event: "goal", tells: null },
  called: { status: "goal", reason: "call-answered", event: "goal", tells: null },
  texted: {
    status: "goal",
    reason: "reply-received",
    event: "goal",
    tells: { type: "sequence_reply", title: "A contact replied by text and left the sequence" },
  },
  won: { status: "goal", reason: "outcome-met", event: "goal", tells: null },
  status_changed: { status: "finished", reason: "lead-status-changed", event: "finished", tells: null },
  other_replied: { status: "finished", reason: "other-contact-replied", event: "finished", tells: null },
} as const satisfies Record<string, Ending>;

/** Whether a sequence stops for this. What is not here always ends a subscription. */
const stopsFor: Partial<Record<keyof typeof endings, (of: Sequence) => boolean>> = {
  replied: (of) => of.stop_on_reply,
  met: (of) => of.stop_on_meeting,
  called: (of) => rulesOf(of).call_answered,
  texted: (of) => rulesOf(of).reply_sms,
  won: (of) => rulesOf(of).opportunity_won,
};

/** Ends the subscriptions, except in sequences that do not stop for this. */
export async function endWays(ctx: Ctx, about: About, how: keyof typeof endings): Promise<Stopped[]> {
  const found = await lockWays(ctx, about);
  const sequences = await sequencesOf(ctx, found);
  const live = found.filter((one) => how !== "replied" || isReplyTo(one, sequences.get(one.sequence_id)!, about));
  const ends = (one: Subscription): boolean => stopsFor[how]?.(sequences.get(one.sequence_id)!) ?? true;
  const ending = live.filter(ends);
  if (how === "replied" || how === "texted") for (const one of live.filter((other) => !ends(other))) await replyCame(ctx, one);
  const ended: Stopped[] = [];
  for (const one of ending) ended.push(await end(ctx, one, sequences.get(one.sequence_id)!, how));
  return ended;
}

/** Some sequences count only what answers their own mail. */
const isReplyTo = ({ id }: Subscription, { reply_scope }: Sequence, { subscription_id }: About): boolean =>
  reply_scope === "any" || id === subscription_id;

/** The lead has got a status that ends sequences which name it. */
export async function endByStatus(ctx: Ctx, lead_id: string, status_id: string): Promise<void> {
  const live = await lockWays(ctx, { addresses: [], lead_id });
  const sequences = await sequencesOf(ctx, live);
  for (const one of live) {
    const of = sequences.get(one.sequence_id)!;
    if (rulesOf(of).lead_status_ids.includes(status_id)) await end(ctx, one, of, "status_changed");
  }
}

/** A contact has replied: what becomes of the others of the lead is up to their sequences. */
export async function stopOthers(
  ctx: Ctx,
  { lead_id, activity_at: at }: { lead_id: string; activity_at: string },
  replied: readonly Stopped[],
): Promise<Stopped[]> {
  const ids = new Set(replied.map(({ id }) => id));
  const live = (await lockWays(ctx, { addresses: [], lead_id, at })).filter((one) => !ids.has(one.id) && one.status === "active");
  const sequences = await sequencesOf(ctx, live);
  const held = { status: "paused", status_reason: "other-contact-replied", paused_at: ctx.now.toISOString() } as const;
  const changed: Stopped[] = [];
  for (const one of live) {
    const of = sequences.get(one.sequence_id)!;
    const { other_contact_replies: rule } = rulesOf(of);
    if (rule === "none" || !of.stop_on_reply) continue;
    if (rule === "stop") changed.push(await end(ctx, one, of, "other_replied"));
    else {
      change(ctx, one, held, "paused");
      changed.push(stopped(one, "other-contact-replied"));
    }
  }
  return changed;
}

/** The task that it waited for is closed: done by a call that was answered, else abandoned. */
async function end(ctx: Ctx, before: Subscription, { name }: Sequence, how: keyof typeof endings): Promise<Stopped> {
  const { status, reason, event, tells } = endings[how];
  const over = { ...nothingDue(before), finished_at: ctx.now.toISOString() };
  change(ctx, before, { status, status_reason: reason, ...over }, event);
  await closeTask(ctx, before, how === "called" ? null : "abandoned");
  if (tells !== null)
    notify(ctx, [before.created_by], {
      type: tells.type,
      title: `${tells.title} ${name}`,
      object_type: "sequence_subscription",
      object_id: before.id,
      lead_id: before.lead_id,
    });
  return stopped(before, reason);
}

/** The contacts are away: their subscriptions resume when they are back, or after two weeks if they name no date. */
export async function holdWays(ctx: Ctx, about: About, returns_at: string | null): Promise<Stopped[]> {
  const live = (await lockWays(ctx, about)).filter((one) => one.status === "active" || one.status_reason === "out-of-office");
  const sequences = await sequencesOf(ctx, live);
  const held: Stopped[] = [];
  for (const one of live) {
    if (sequences.get(one.sequence_id)!.out_of_office?.action === "ignore") continue;
    const resume_at = await backAt(ctx, one, sequences.get(one.sequence_id)!, returns_at);
    if (one.status === "active")
      change(
        ctx,
        one,
        { status: "paused", status_reason: "out-of-office", paused_at: ctx.now.toISOString(), resume_at },
        "paused",
      );
    else store.update(ctx, sequenceSubscription, one, { resume_at });
    held.push(stopped(one, "out-of-office"));
  }
  return held;
}

const defaultDays = 14;

/** The sequence's first sending time on that day, in the subscription's time zone. */
async function backAt(ctx: Ctx, way: Subscription, of: Sequence, returns_at: string | null): Promise<string> {
  const zone = await zoneFor(ctx, of, way);
  const day =
    returns_at === null
      ? Temporal.Instant.fromEpochMilliseconds(ctx.now.getTime())
          .toZonedDateTimeISO(zone)
          .add({ days: of.out_of_office?.default_days ?? defaultDays })
      : Temporal.PlainDate.from(returns_at).toZonedDateTime(zone);
  return openAt(ctx, of, zone, new Date(day.epochMilliseconds)).toISOString();
}

/** They were stopped by mistake: subscriptions that nothing else has changed since then are restored. */
export async function reopenWays(ctx: Ctx, ways: readonly Stopped[]): Promise<void> {
  const ids = ways.map(({ id }) => id);
  const found = ids.length === 0 ? [] : await lockToChange(ctx, sequenceSubscription, sql`t.id = any(${ids})`);
  for (const one of found) {
    const { became, ...before } = ways.find(({ id }) => id === one.id)!;
    const values = one.status_reason === became ? await reopened(ctx, one, before) : null;
    if (values !== null) change(ctx, one, values, values.status === "active" ? "resumed" : "paused");
  }
}

const stopped = (
  { id, status, status_reason, paused_at, resume_at, next_step_at, finished_at }: Subscription,
  became: Stopped["became"],
): Stopped => ({ id, status, status_reason, paused_at, resume_at, next_step_at, finished_at, became });

function change(ctx: Ctx, before: Subscription, values: Values<typeof sequenceSubscription>, action: string): void {
  const after = store.update(ctx, sequenceSubscription, before, values);
  emit(ctx, sequenceSubscription, { action, before, after, changed: changedFields(sequenceSubscription, before, after) });
  wakeStep(ctx, after);
}

/** Whoever may see their leads. */
const lockWays = (
  ctx: Ctx,
  { addresses, contact_id, lead_id, subscription_id, at, sequence_id, except }: About,
): Promise<Subscription[]> => {
  const theirs: Sql[] = [sql`lower(t.contact_email) = any(${addresses.map(emailKey)})`];
  if (contact_id) theirs.push(sql`t.contact_id = ${contact_id}`);
  if (lead_id) theirs.push(sql`t.lead_id = ${lead_id}`);
  if (subscription_id) theirs.push(sql`t.id = ${subscription_id}`);
  const within = sequence_id === undefined ? [] : [sql`t.sequence_id = ${sequence_id}`];
  const others = except === undefined ? [] : [sql`not t.id = any(${except})`];
  const begun = at === undefined ? [] : [hadBegun(at, subscription_id ?? null)];
  const as = `sequence_subscription.live_of${contact_id ? "_contact" : ""}${lead_id ? "_lead" : ""}${subscription_id ? "_own" : ""}${at ? "_at" : ""}`;
  const isUsual = sequence_id === undefined && except === undefined;
  return lockToChange(
    ctx,
    sequenceSubscription,
    and([isLive, or(theirs), ...begun, ...within, ...others]),
    isUsual ? as : undefined,
  );
};

/** An answer to its own mail came after it, whatever the sender's clock says. Mail has whole seconds. */
const hadBegun = (at: string, answered: string | null): Sql =>
  sql`(least(t.start_date, t.date_created) < ${at}::timestamptz + interval '1 second' or t.id = ${answered}::text)`;

async function sequencesOf(ctx: Ctx, ways: readonly Subscription[]): Promise<Map<string, Sequence>> {
  const ids = [...new Set(ways.map((one) => one.sequence_id))];
  const found = ids.length === 0 ? [] : await findRecords(ctx, { ...sequence, visible: undefined }, [sql`t.id = any(${ids})`]);
  return new Map(found.map((one) => [one.id, one]));
}
