// Whom an enrichment is about: the record, its company, and what the service knows of them without asking anybody.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecord, findRecords } from "../../records/records.ts";
import { timeZonesOfNumber } from "../../values/area_codes.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { companyDomain, domainOf } from "./company_domain.ts";
import { type Found, factsOf, given } from "./found.ts";
import type { Enrichment } from "./start.ts";

export type Lead = Row<typeof lead>;
export type Contact = Row<typeof contact>;

interface Company {
  /** Of its own web address, or else of an e-mail address. */
  domain: string | null;
  /** Where its home page may be. */
  urls: string[];
  /** The domain is from an e-mail address. */
  isGuessed: boolean;
}

export type Subject =
  | { kind: "lead"; row: Lead; company: Company }
  | { kind: "contact"; row: Contact; lead: Lead; company: Company };

/** Null if who asked cannot see it any more. */
export async function subjectOf(ctx: Ctx, about: About): Promise<Subject | null> {
  const subject = await foundSubject(ctx, about);
  if (subject === null || about.origin?.home_pages_only !== true) return subject;
  return { ...subject, company: { ...subject.company, urls: subject.company.urls.filter(isHomePage) } };
}

/** Of a company's own domain. Whoever makes up such an address can tell its owner nothing by it: it has no room for more than a name. */
export function isHomePage(url: string): boolean {
  const at = URL.parse(url);
  const ownDomain = /^(?:www\.)?[^.]+\.(?:[^.]{2,3}\.)?[a-z][^.]+$/;
  return at !== null && ownDomain.test(at.hostname) && at.href === `${at.protocol}//${at.hostname}/`;
}

type About = Pick<Enrichment, "object_type" | "object_id" | "lead_id"> & { origin?: Record<string, unknown> | null };

async function foundSubject(ctx: Ctx, { object_type, object_id, lead_id }: About): Promise<Subject | null> {
  const of = await findRecord(ctx, lead, object_type === "lead" ? object_id : lead_id);
  if (of === null) return null;
  if (object_type === "contact") {
    const row = await findRecord(ctx, contact, object_id);
    return row === null ? null : { kind: "contact", row, lead: of, company: await companyOf(of, row.emails) };
  }
  const people = await findRecords(ctx, contact, [sql`t.lead_id = ${of.id}`], sql`order by t.id limit 50`);
  return { kind: "lead", row: of, company: await companyOf(of, [...of.emails, ...people.flatMap(({ emails }) => emails)]) };
}

async function companyOf({ url }: Lead, emails: readonly { email: string }[]): Promise<Company> {
  if (url !== null) return { domain: domainOf(url), urls: [url], isGuessed: false };
  const domain = await companyDomain(emails);
  return { domain, urls: domain === null ? [] : [`https://${domain}/`, `http://${domain}/`], isGuessed: true };
}

/** What follows from addresses and numbers. A number that can be of several zones tells none. */
export function foundByItself({ kind, row, company }: Subject): Found {
  const organization = given({ domain: company.domain });
  if (kind === "lead") return { facts: [], result: { organization } };
  const numbers = row.phones.filter(({ country }) => country !== null);
  const zones = numbers.map(({ phone, country }) => timeZonesOfNumber(phone, country));
  const timezone = zones.find((one) => one.length === 1)?.[0];
  const facts = factsOf("phone", 0.6, { timezone });
  return { facts, result: { person: given({ country: numbers[0]?.country }), organization } };
}
