// Finds where a message belongs: the lead and the contact, by the message it answers and by its people. All queries leave in one
// flight.
import type { Ctx } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { emailKey } from "../../values/email.ts";
import { type AnsweredThread, answeredBy } from "../activities/answered.ts";
import type { Answered } from "../activities/arrived_email.ts";
import { email } from "../activities/email.ts";
import { contactsWith, leadsWith, type Reachable } from "../activities/placing.ts";
import { memberWith, type Person } from "../activities/recipients.ts";
import type { ArrivedMail } from "./arrived.ts";
import { isAuthentic, provenDomains } from "./authentic.ts";
import { isDoubted, isReport } from "./doubted.ts";
import type { Source } from "./visit.ts";

export interface Place {
  lead_id: string;
  contact_id: string | null;
  answered: Answered | null;
}

/** A message with what is known about it before any query. */
export interface Letter extends ArrivedMail {
  /** The member with the sender's address. Anybody can write any address there. */
  says_it_is: string | null;
  /** The member who certainly wrote it. Null for anybody else. */
  written_by: string | null;
  /** People who are not members, the sender first. */
  others: Person[];
}

/**
 * Members are recognized by their own addresses and those of their accounts. Mail in a folder of sent mail was written by its
 * owner; elsewhere the mailbox's own server has to say that it is from whom it says.
 */
export function letterOf(ctx: Ctx, source: Source, mail: ArrivedMail): Letter {
  const memberOf = ({ email }: Person) => memberWith(ctx.directory, email) ?? source.members.get(emailKey(email)) ?? null;
  const everybody = [...(mail.from === null ? [] : [mail.from]), ...mail.to, ...mail.cc, ...mail.bcc];
  const says_it_is = mail.from && memberOf(mail.from);
  const written_by = source.role === "sent" ? source.account.user_id : isAuthentic(source.account, mail) ? says_it_is : null;
  const classification = {
    ...mail.classification,
    is_doubted: isDoubted(source.account, mail),
    ...(isReport(mail) && { comes_from: provenDomains(source.account, mail) }),
  };
  return { ...mail, classification, says_it_is, written_by, others: everybody.filter((one) => memberOf(one) === null) };
}

/** Where it belongs, or null. `isHeld`: somebody has the sender's address, but the owner did not say so. */
export interface Placing {
  place: Place | null;
  isHeld: boolean;
}

/**
 * The lead of the message that it answers, or else of the contact with the sender's address, or else of another person it names.
 * Of several contacts with one address, the one with the latest exchange, first of the mailbox's owner. An address alone places
 * nothing where the owner would not see it, or did not confirm it. Mail among members has no place.
 */
export async function placeMail(ctx: Ctx, { owner }: Source, letter: Letter): Promise<Placing> {
  if (isAmongMembers(letter)) return { place: null, isHeld: false };
  const addresses = letter.others.map(({ email }) => email);
  const asOwner = { ...ctx, actor: owner };
  const [answers, known, leads] = await Promise.all([
    answeredBy(ctx, { ...letter, references: continued(letter) }),
    addresses.length === 0 ? [] : contactsWith(ctx, addresses, { owner: asOwner }),
    addresses.length === 0 ? [] : leadsWith(ctx, addresses, asOwner),
  ]);
  const [sender] = letter.from !== null && letter.written_by === null && letter.says_it_is === null ? addresses.slice(0, 1) : [];
  const has = (address: string) => (one: { email_keys: readonly string[] }) => one.email_keys.includes(emailKey(address));
  const theirs = sender === undefined ? known : known.filter(has(sender));

  const answered = await firstKnownTo(asOwner, letter, answers, theirs);
  if (answered !== null) {
    const contact = theirs.find(({ lead_id }) => lead_id === answered.lead_id);
    return placed(answered.lead_id, contact?.id ?? null, answered);
  }
  const contact = theirs.find(({ catches }) => catches);
  if (contact !== undefined) return placed(contact.lead_id, contact.id);
  const other = known.find(({ catches }) => catches);
  const lead = leads.find((one) => sender === undefined || has(sender)(one))?.id ?? other?.lead_id ?? leads[0]?.id;
  if (lead !== undefined) return placed(lead, null);
  return { place: null, isHeld: sender !== undefined && theirs.length > 0 };
}

/** It names members alone. What they write to each other is private, also where it answers a thread of a lead. */
const isAmongMembers = ({ from, to, cc, others }: Letter): boolean =>
  from !== null && to.length + cc.length > 0 && others.length === 0;

const placed = (lead_id: string, contact_id: string | null, answered: Answered | null = null): Placing => ({
  place: { lead_id, contact_id, answered },
  isHeld: false,
});

/**
 * The first whose thread the sender took part in, or that is at the lead of a contact with the sender's address, or that the
 * mailbox's owner sees. Anybody can name the id of a message, and would have the owner's mail filed where the owner never sees it.
 */
async function firstKnownTo(
  asOwner: Ctx,
  { from }: Letter,
  answers: readonly AnsweredThread[],
  theirs: readonly Reachable[],
): Promise<AnsweredThread | null> {
  const tookPart = ({ addresses, lead_id }: AnsweredThread) =>
    (from !== null && addresses.includes(emailKey(from.email))) || theirs.some((one) => one.lead_id === lead_id);
  const strange = answers.filter((one) => !tookPart(one));
  const seen = strange.length === 0 ? new Set() : await seenBy(asOwner, strange);
  return answers.find((one) => tookPart(one) || seen.has(one.id)) ?? null;
}

async function seenBy(asOwner: Ctx, answers: readonly AnsweredThread[]): Promise<Set<string>> {
  const ids = answers.map(({ id }) => id);
  const found = await findRecords(asOwner, email, [sql`t.id = any(${ids}::text[])`]);
  return new Set(found.map(({ id }) => id));
}

/** The message it continues. A report continues the message that it returns. */
const continued = ({ references, classification }: Letter): string[] =>
  [...new Set([...classification.about, ...references])].slice(-150);
