// Decides which e-mails belong together: those that answer each other, and those of one lead with the same subject and people.
import { type Ctx, query, write } from "../../core/context.ts";
import type { Row, Values } from "../../core/resource.ts";
import { type Sql, sql, statement } from "../../db/sql.ts";
import { emit } from "../../records/event.ts";
import { findRecord, findRecords } from "../../records/records.ts";
import { lockPointing } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { emailKey } from "../../values/email.ts";
import { contact } from "../contacts/contact.ts";
import { email } from "./email.ts";
import { emailThread } from "./email_thread.ts";
import { memberWith, type Person, people } from "./recipients.ts";

type Thread = Row<typeof emailThread>;

/** An e-mail that needs a thread. */
interface Mail {
  lead_id: string;
  contact_id: string | null;
  user_id: string | null;
  activity_at: string;
  date_created?: string;
  subject: string;
  sender: string | null;
  to: readonly string[];
  cc: readonly string[];
}

export interface Joined {
  id: string;
  /** It has no other e-mail yet. */
  isNew: boolean;
}

/** The thread of a new e-mail: that of the e-mail it answers, or else one with its subject and people, or else a new one. */
export async function joinThread(ctx: Ctx, mail: Mail, answeredThread: string | null): Promise<Joined> {
  const found = answeredThread === null ? await threadLike(ctx, mail) : await lockThread(ctx, answeredThread);
  if (found === null) return { id: beginThread(ctx, mail).id, isNew: true };
  store.update(ctx, emailThread, found, {
    n_emails: (found.n_emails ?? 0) + 1,
    latest_normalized_subject: normalizedSubject(mail.subject),
    participants: unitedPeople(found.participants, participantsOf(mail)),
    activity_at: later(found.activity_at, mail.activity_at),
  });
  return { id: found.id, isNew: false };
}

function beginThread(ctx: Ctx, mail: Mail): Thread {
  const { lead_id, contact_id, user_id, activity_at, date_created } = mail;
  return store.insert(ctx, emailThread, {
    lead_id,
    contact_id,
    user_id,
    activity_at,
    date_created,
    n_emails: 1,
    latest_normalized_subject: normalizedSubject(mail.subject),
    participants: participantsOf(mail),
  });
}

/** Updates a thread from its e-mails. A thread without e-mails is deleted. */
export async function refreshThread(ctx: Ctx, thread_id: string): Promise<void> {
  const thread = await lockThread(ctx, thread_id);
  if (thread === null) return;
  const mails = await mailsOf(ctx, thread_id);
  if (mails.length === 0) return store.remove(ctx, emailThread, [thread]);
  store.update(ctx, emailThread, thread, summary(mails));
}

/** A thread must be kept up to date whether or not the caller sees its lead. */
async function lockThread(ctx: Ctx, id: string): Promise<Thread | null> {
  const [found] = await lockPointing(ctx, { from: emailThread, field: "id" }, [id]);
  return (found as Thread | undefined) ?? null;
}

function summary(mails: readonly Line[]): Values<typeof emailThread> {
  return {
    n_emails: mails.length,
    latest_normalized_subject: normalizedSubject(mails.at(-1)!.subject),
    participants: mails.map(participantsOf).reduce(unitedPeople),
    activity_at: mails.map((mail) => mail.activity_at).reduce(later),
  };
}

type Answer = Pick<Row<typeof email>, "thread_id" | "sender" | "contact_id">;

/** Only e-mails are in a thread. By their kind, a young database without statistics reads all of them: 8 ms where it has 2,000. */
const ofAnyKind = { ...email, only: undefined };

/**
 * Somebody answered: marks what was sent to them before in the thread. The e-mail that is answered, or else the newest, gets the
 * event. Whoever answers from another address of the same contact is the same person, and what is answered by its id has an answer
 * wherever that comes from.
 */
export async function markAnswered(
  ctx: Ctx,
  { thread_id, sender, contact_id }: Answer,
  answeredId: string | null = null,
): Promise<void> {
  const [who, outgoing] = await Promise.all([
    contact_id === null ? null : findRecord(ctx, contact, contact_id),
    findRecords(
      ctx,
      ofAnyKind,
      [sql`t.thread_id = ${thread_id}`, sql`t.direction = 'outgoing'`, sql`t.status = 'sent'`],
      sql`order by t.activity_at, t.id for update of t`,
      "sent_in",
    ),
  ]);
  const addresses = [...people(sender === null ? [] : [sender]).map((one) => emailKey(one.email)), ...(who?.email_keys ?? [])];
  const wentTo = ({ to, cc, bcc, contact_id: to_id }: Row<typeof email>) =>
    (contact_id !== null && to_id === contact_id) ||
    people([to, cc, bcc].flat()).some((one) => addresses.includes(emailKey(one.email)));
  const sent = outgoing.filter((one) => one.id === answeredId || wentTo(one));
  const answered = sent.find(({ id }) => id === answeredId) ?? sent.at(-1);
  for (const one of sent) {
    const after = one.has_reply ? one : store.update(ctx, email, one, { has_reply: true });
    if (one === answered) emit(ctx, email, { action: "replied", after });
  }
}

// --- similar e-mails ---

/**
 * The newest thread of the lead with this subject and one of the people of this e-mail. Members do not count, because they write
 * to everybody. Two e-mails that arrive at once are handled one after the other, or each would start its own thread.
 */
async function threadLike(ctx: Ctx, mail: Mail): Promise<Thread | null> {
  const subject = normalizedSubject(mail.subject);
  if (subject === "") return null;
  write(ctx, {
    text: "select pg_advisory_xact_lock(hashtextextended($1, 0))",
    values: [`${ctx.organization_id} ${mail.lead_id} ${subject.toLowerCase()}`],
    name: "email_thread.lock",
  });
  const threads = await findRecords(
    ctx,
    emailThread,
    [
      sql`t._type = 'EmailThread' and t.lead_id = ${mail.lead_id}`,
      sql`${hashed(sql`t.latest_normalized_subject`)} = ${hashed(sql`${subject}`)}`,
      sql`lower(t.latest_normalized_subject) = lower(${subject})`,
    ],
    sql`order by t.activity_at desc, t.id desc limit 20`,
    "like",
  );
  const others = outsiders(ctx, participantsOf(mail));
  const found = threads.find((thread) => haveCommon(outsiders(ctx, thread.participants), others));
  // Only the one that it joins: the others may be of mail that is just being sent.
  return found === undefined ? null : lockThread(ctx, found.id);
}

/** As in the index: a subject may be longer than what an index holds. */
const hashed = (subject: Sql): Sql => sql`hashtextextended(lower(${subject}), 0)`;

const outsiders = (ctx: Ctx, list: readonly Person[]): Set<string> =>
  new Set(list.flatMap((one) => (memberWith(ctx.directory, one.email) === undefined ? [emailKey(one.email)] : [])));

/** Two e-mails with only members among their people are similar too. */
const haveCommon = (some: Set<string>, others: Set<string>): boolean =>
  (some.size === 0 && others.size === 0) || [...some].some((one) => others.has(one));

const reply = /^\s*(?:re|fwd?|aw|wg|antw|sv|vs|tr|rv|odp|回复|答复|转发)\s*(?:\[\d+\])?\s*[:：]\s*/i;

/** `Re: AW: Our  offer` → `Our offer`. */
export function normalizedSubject(subject: string): string {
  let rest = subject;
  while (reply.test(rest)) rest = rest.replace(reply, "");
  return rest.replace(/\s+/g, " ").trim();
}

// --- people ---

// Blind copies stay hidden.
function participantsOf(mail: Pick<Mail, "sender" | "to" | "cc">): Person[] {
  return unitedPeople([], people([mail.sender ?? [], mail.to, mail.cc].flat()));
}

const participantsMax = 1000;

function unitedPeople(known: readonly Person[], more: readonly Person[]): Person[] {
  const byEmail = new Map<string, Person>();
  for (const one of [...known, ...more]) {
    const key = emailKey(one.email);
    const present = byEmail.get(key);
    byEmail.set(key, present ? { email: present.email, name: present.name ?? one.name } : one);
  }
  return [...byEmail.values()].slice(0, participantsMax);
}

const later = (a: string, b: string): string => (a > b ? a : b);

type Line = Pick<Mail, "subject" | "sender" | "to" | "cc" | "activity_at">;

/** A thread's e-mails in the order of their dates, without their bodies. */
async function mailsOf(ctx: Ctx, thread_id: string): Promise<Line[]> {
  const rows = await query(
    ctx,
    statement(
      sql`select json_build_object('subject', t.subject, 'sender', t.sender, 'to', t."to", 'cc', t.cc,
        'activity_at', to_char(t.activity_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      from activity t where t.organization_id = ${ctx.organization_id} and t.thread_id = ${thread_id} and t._type = 'Email'
      order by t.activity_at, t.id`,
      "email_thread.mails",
    ),
  );
  return rows.map(([text]) => JSON.parse(text!));
}
