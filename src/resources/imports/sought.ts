// What a row of a table is found by, and what it says that other rows of the table may be found by.
import { emailKey } from "../../values/email.ts";
import { parseUrl } from "../../values/url.ts";
import { leadNamedAfter } from "../contacts/contact_verbs.ts";
import type { Body } from "./bodies.ts";
import type { Import } from "./import_rows.ts";
import type { ReadRow } from "./read_row.ts";

export type By = "id" | "url" | "email" | "name" | "domain";

/** What a row is found by. */
export interface Sought {
  by: By;
  value: string;
}

export interface ProductSought {
  by: "code" | "name";
  value: string;
}

/** With `create`, leads are always new; people and deals still go to the leads that exist. */
export const looksUp = ({ object_type, options }: Pick<Import, "object_type" | "options">): boolean =>
  options.match_by !== "none" && !(options.on_match === "create" && object_type === "lead");

/** The wanted value, or the next best one if the row does not have it. */
export function soughtBy(
  { options }: Pick<Import, "options">,
  { bodies: { lead: company }, people: [person = {}], group }: ReadRow,
): Sought | null {
  const isNameless = company.id === undefined && company.name === undefined && company.url === undefined;
  if (group?.isDomain && isNameless) return { by: "domain", value: group.value };
  const email: string | undefined = person.emails?.[0]?.email ?? company.emails?.[0]?.email;
  const values: Record<Exclude<By, "domain">, string | undefined> = {
    id: company.id,
    url: company.url && hostOf(company.url),
    email: email && emailKey(email),
    name: company.name,
  };
  const wanted = options.match_by === undefined || options.match_by === "none" ? "name" : options.match_by;
  for (const by of [...(company.id === undefined ? [] : ["id" as const]), wanted, "name", "email"] as const)
    if (values[by]) return { by, value: values[by] };
  const named = namedAfter(person);
  return named === null ? null : { by: "name", value: named };
}

/** Rows with the same key belong to one lead. A company has one name, but its people have many addresses. */
export function keyOf({ bodies: { lead: company }, group }: ReadRow, sought: Sought | null): string | null {
  if (group !== null && company.id === undefined) return `group:${plainWords(group.value)}`;
  if (sought === null) return null;
  return sought.by === "email" && company.name ? `name:${plainWords(company.name)}` : `${sought.by}:${plainWords(sought.value)}`;
}

/** What of other rows would make this row find their lead. A deal is written once at a time. */
export function seeks(imp: Import, { bodies }: ReadRow, sought: Sought | null): string[] {
  const deal: string[] = bodies.opportunity.id === undefined ? [] : [`deal:${bodies.opportunity.id}`];
  if (sought === null || !looksUp(imp)) return deal;
  const ways = sought.by === "domain" ? (["url", "name"] as const) : [sought.by];
  return [...deal, ...ways.map((by) => `${by}:${plainWords(sought.value)}`)];
}

/** A product is found by its code, or else by its name. */
export function productSoughtBy({ options }: Import, { bodies: { product } }: ReadRow): ProductSought | null {
  const by = product.code && options.match_by !== "name" ? "code" : "name";
  return product[by] ? { by, value: product[by] } : null;
}

/** What the lead of a row, or its people, may be found by once the row is done. */
export function says({ bodies: { lead: company, opportunity: deal }, people, group }: ReadRow): string[] {
  const names = [company.name, ...people.map(nameOfLeadOf), ...(group?.isDomain ? [group.value] : [])];
  const emails = [company, ...people].flatMap((one) => emailsIn(one));
  const host = company.url && hostOf(company.url);
  return [
    ...names.flatMap((one) => (one ? [`name:${plainWords(one)}`] : [])),
    ...emails.map((one) => `email:${plainWords(one)}`),
    ...(host ? [`url:${plainWords(host)}`] : []),
    ...(deal.id === undefined ? [] : [`deal:${deal.id}`]),
  ];
}

/** The name that a new lead gets after this person, if the row names no company. */
export const namedAfter = (person: Body): string | null => (Object.keys(person).length === 0 ? null : nameOfLeadOf(person));

const nameOfLeadOf = (person: Body): string | null => leadNamedAfter({ ...person, name: nameIn(person) }).name ?? null;

/** The name that a contact of this body would get. */
export const nameIn = ({ name, first_name, last_name }: Body): string | null =>
  name ?? ([first_name, last_name].filter((one) => one).join(" ") || null);

export const emailsIn = ({ emails = [] }: Body): string[] => emails.map(({ email }: { email: string }) => emailKey(email));

export const hostOf = (raw: string): string | undefined => {
  const url = parseUrl(raw, { prefix: true });
  return url === null ? undefined : new URL(url).hostname.replace(/^www\./, "").toLowerCase();
};

/** Names are compared without case, accents and repeated spaces, as the database finds them. */
export const plainWords = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[ßæœøđðħıłŋþŧ]/g, (letter) => letters[letter]!)
    .replaceAll(/\s+/g, " ")
    .trim();

/** Those that are no letter with a mark. */
const letters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ħ: "h",
  ı: "i",
  ł: "l",
  ŋ: "n",
  þ: "th",
  ŧ: "t",
};
