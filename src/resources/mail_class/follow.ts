// What follows from the class of a message: which addresses are suppressed, which sequences end or wait, who is notified. Code
// that stores a received message calls this in the same transaction. Reports are accepted only about mail that was sent from
// here, and about its recipients.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { lockToChange } from "../../records/references.ts";
import { emailKey } from "../../values/email.ts";
import { failAccount } from "../accounts/account_states.ts";
import { type Bounce, forgetBounces, noteBounces, refusingRecipients, softBounces } from "../activities/bounces.ts";
import { email } from "../activities/email.ts";
import { person } from "../activities/recipients.ts";
import { seesEverybodyWith } from "../contacts/sees_everybody.ts";
import { liftBounces, liftSuppressionsBy, suppress } from "../contacts/suppress.ts";
import { isNews, notify } from "../notifications/notify.ts";
import { toOtherAddresses } from "../sequences/other_address.ts";
import { sendAgain } from "../sequences/send_again.ts";
import type { Stopped } from "../sequences/sequence_subscription.ts";
import { type About, endWays, holdWays, reopenWays, stopOthers } from "../sequences/stops.ts";
import { believed, isForged, recipientsOf } from "./believed.ts";
import type { Failure } from "./bounce.ts";
import type { Classification } from "./classification.ts";

type Email = Row<typeof email>;

/** What can be undone when the class was wrong. */
export interface Effects {
  ways: Stopped[];
}

/** `received` is null for a report that is not stored: then `reporter` is the address that it came from. */
export async function followClass(
  ctx: Ctx,
  received: Email | null,
  verdict: Classification,
  reporter = received?.sender == null ? null : person(received.sender).email,
): Promise<Effects> {
  if (received !== null && received.status !== "inbox") return { ways: [] };
  const sent = await messageOfOurs(ctx, received, verdict);
  if (verdict.class === "bounce" || verdict.class === "complaint") {
    if (sent === null || (verdict.decided_by === "rule" && isForged(sent, verdict, reporter))) return { ways: [] };
    if (!(await maySpeakFor(ctx, received, recipientsOf(sent)))) return { ways: [] };
    const heard = await believed(ctx, sent, verdict, reporter);
    if (heard.failed.length < verdict.failed.length) tellOfRumour(ctx, sent, verdict, heard);
    const ways = heard.class === "bounce" ? cameBack(ctx, sent, received, heard) : complained(ctx, sent, received, heard);
    return { ways: await ways };
  }
  if (received === null || received.sender === null) return { ways: [] };
  const whom = sender(received, sent);
  const about = (await maySpeakFor(ctx, received, whom.addresses)) ? whom : { ...whom, addresses: [] };
  if (verdict.class === "human") return { ways: await answered(ctx, received, about) };
  if (verdict.class === "opt_out") return { ways: await askedToStop(ctx, received, about) };
  const isAway = verdict.class === "auto_reply" && verdict.is_absent;
  return { ways: isAway ? await holdWays(ctx, { ...about, at: received.activity_at }, verdict.returns_at) : [] };
}

/**
 * For a message that stays with a prospect although somebody else has a contact with its sender's address: what they ask for holds
 * for everybody, and they answered whoever wrote to them.
 */
export async function followStranger(
  ctx: Ctx,
  { address, at }: { address: string; at: string },
  verdict: Classification,
  source_id: string,
): Promise<void> {
  const about = { addresses: [emailKey(address)] };
  if (verdict.class === "human") await endWays(ctx, { ...about, at }, "replied");
  if (verdict.class === "auto_reply" && verdict.is_absent) await holdWays(ctx, { ...about, at }, verdict.returns_at);
  if (verdict.class !== "opt_out") return;
  await suppress(ctx, { address, reason: "unsubscribed", source: "reply", source_id });
  await endWays(ctx, about, "unsubscribed");
}

/** The message has another class: what followed from the first is undone, unless something else has happened since. */
export async function unfollowClass(ctx: Ctx, received: Email): Promise<void> {
  await liftSuppressionsBy(ctx, received.id);
  await forgetBounces(ctx, received.id);
  await reopenWays(ctx, received.class_effects?.ways ?? []);
}

/**
 * What no mailbox received was only logged, and may say anything about anybody. So it counts for these addresses only when the
 * caller sees everybody who has one.
 */
const maySpeakFor = async (ctx: Ctx, received: Email | null, addresses: readonly string[]): Promise<boolean> =>
  received === null || (received.mailbox_user_ids ?? []).length > 0 || seesEverybodyWith(ctx, addresses);

// --- the sent mail that it is about ---

const mostAtOnce = 20;

/** The mail that it answers or returns: by the ids in its headers, or else the one that it was filed as an answer to. */
async function messageOfOurs(ctx: Ctx, received: Email | null, { about }: Classification): Promise<Email | null> {
  const isOurs = sql`t._type = 'Email' and t.direction = 'outgoing'`;
  const named = sql`t.message_ids <> '{}' and t.message_ids && ${about.slice(0, mostAtOnce)}::text[]`;
  const found = about.length === 0 ? [] : await lockToChange(ctx, email, sql`${isOurs} and ${named}`);
  const place = ({ message_ids }: Email) => Math.min(...message_ids.map((id) => (about.includes(id) ? about.indexOf(id) : 99)));
  const first = found.sort((one, other) => place(one) - place(other))[0];
  if (first !== undefined || !received?.in_reply_to_id) return first ?? null;
  return (await lockToChange(ctx, email, sql`${isOurs} and t.id = ${received.in_reply_to_id}`))[0] ?? null;
}

/** The sender. A person who replies from another address is still the same person. */
function sender(received: Email, sent: Email | null): About & { addresses: string[] } {
  const from = emailKey(person(received.sender!).email);
  const recipients = sent === null ? [] : recipientsOf(sent);
  // Whoever names a mail that they did not get, and that theirs was not filed with, does not speak for its recipient.
  if (sent !== null && sent.thread_id !== received.thread_id && !recipients.includes(from)) return sender(received, null);
  const [only, ...others] = recipients;
  const addresses = only !== undefined && others.length === 0 ? [...new Set([from, only])] : [from];
  return { addresses, contact_id: received.contact_id, subscription_id: sent?.sequence_subscription_id ?? null };
}

// --- people ---

async function answered(ctx: Ctx, received: Email, about: About): Promise<Stopped[]> {
  const [ended] = await Promise.all([
    endWays(ctx, { ...about, at: received.activity_at }, "replied"),
    about.addresses.length > 0 && liftBounces(ctx, person(received.sender!).email),
  ]);
  return ended.length === 0 ? ended : [...ended, ...(await stopOthers(ctx, received, ended))];
}

async function askedToStop(ctx: Ctx, received: Email, about: About): Promise<Stopped[]> {
  for (const address of about.addresses)
    await suppress(ctx, { address, reason: "unsubscribed", source: "reply", source_id: received.id });
  return endWays(ctx, about, "unsubscribed");
}

// --- reports ---

async function complained(
  ctx: Ctx,
  sent: Email,
  received: Email | null,
  { complained: named }: Classification,
): Promise<Stopped[]> {
  const recipients = recipientsOf(sent);
  const said = named.map(emailKey).filter((one) => recipients.includes(one));
  // Most providers hide the recipient. If there was only one, it is clear.
  const addresses = said.length === 0 && recipients.length === 1 ? recipients : said;
  const source_id = received?.id ?? sent.id;
  for (const address of addresses) await suppress(ctx, { address, reason: "complained", source: "feedback_report", source_id });
  tell(ctx, sent, `${addresses.join(", ") || "A recipient"} complained of your mail as spam`, sent.subject);
  return addresses.length === 0 ? [] : endWays(ctx, { addresses }, "complained");
}

async function cameBack(ctx: Ctx, sent: Email, received: Email | null, verdict: Classification): Promise<Stopped[]> {
  const date = ctx.now.toISOString();
  const failed = failuresOf(sent, verdict).map((one): Bounce => ({ ...one, date, reported_by: received?.id ?? null }));
  const news = noteBounces(ctx, sent, failed);
  if (news.length === 0) return [];

  if (sent.sequence_subscription_id === null || news.some(({ kind }) => kind !== "hard")) tellOfBounces(ctx, sent, news);
  const refused = news.find(({ kind }) => kind === "policy");
  if (refused !== undefined && sent.email_account_id !== null && (await isRefusedByMany(ctx, sent.email_account_id)))
    await failAccount(ctx, sent.email_account_id, ["send"], `Refused by ${refused.address}: ${refused.reason ?? refused.status}`);
  const bad: string[] = [];
  for (const { address, kind } of news) if (await isBad(ctx, address, kind)) bad.push(address);
  const source_id = received?.id ?? sent.id;
  for (const address of bad) await suppress(ctx, { address, reason: "bounced", source: "bounce", source_id });
  if (bad.length > 0) await toOtherAddresses(ctx, sent, bad);
  if (bad.length > 0) return endWays(ctx, { addresses: bad }, "bounced");
  if (news.some(({ kind }) => kind === "soft")) await sendAgain(ctx, sent);
  return [];
}

/** One recipient's filter says nothing about the mailbox. */
const [refusingMost, refusingMs] = [3, 86_400_000];

const isRefusedByMany = async (ctx: Ctx, accountId: string): Promise<boolean> =>
  (await refusingRecipients(ctx, accountId, new Date(ctx.now.getTime() - refusingMs))) >= refusingMost;

/** The recipients of the mail. A report that names nobody means the only one. */
function failuresOf(sent: Email, { failed, rule }: Classification): Failure[] {
  const recipients = recipientsOf(sent);
  const theirs = failed.filter(({ address, kind }) => recipients.includes(emailKey(address)) && kind !== "delayed");
  if (failed.length > 0 || recipients.length !== 1) return theirs;
  return [{ address: recipients[0]!, status: null, kind: rule === "manual" ? "hard" : "soft", reason: null }];
}

/** An address with temporary bounces three times in two weeks counts as invalid. */
const softMax = 3;
const softMs = 14 * 86_400_000;

async function isBad(ctx: Ctx, address: string, kind: Failure["kind"]): Promise<boolean> {
  if (kind !== "soft") return kind === "hard";
  return (await softBounces(ctx, address, new Date(ctx.now.getTime() - softMs))) >= softMax;
}

// --- events and notifications ---

function tellOfBounces(ctx: Ctx, sent: Email, [first, ...others]: readonly Bounce[]): void {
  const whom = others.length === 0 ? first!.address : `${first!.address} and ${others.length} more`;
  tell(ctx, sent, `${words[first!.kind as keyof typeof words]} ${whom}`, first!.reason ?? sent.subject);
}

/** Nothing follows from it, but it may be true. */
function tellOfRumour(ctx: Ctx, sent: Email, said: Classification, heard: Classification): void {
  const isBelieved = (address: string) => heard.failed.some((one) => one.address === address);
  const others = failuresOf(sent, said).filter(({ address }) => !isBelieved(address));
  if (others.length === 0) return;
  const whom = others.map(({ address }) => address).join(", ");
  tell(
    ctx,
    sent,
    `Somebody reports that your mail did not reach ${whom}`,
    "It is not their server that says so: nothing followed",
  );
}

const words = {
  hard: "There is no such address: mail bounced from",
  soft: "Mail is temporarily refused by",
  policy: "Mail from you is refused by",
};

function tell(ctx: Ctx, sent: Email, title: string, body: string): void {
  if (!isNews(ctx, sent.date_sent ?? sent.activity_at)) return;
  notify(ctx, [sent.user_id ?? sent.created_by], {
    type: "email_bounced",
    title,
    body,
    object_type: "activity.email",
    object_id: sent.id,
    lead_id: sent.lead_id,
    actor_id: null,
  });
}
