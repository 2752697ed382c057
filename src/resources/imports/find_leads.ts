// Finds the lead that a row of an import is about: one that an earlier row had, or one that exists.
import { type Ctx, query } from "../../core/context.ts";
import { from, scope } from "../../core/resource.ts";
import { and, type Sql, sql, statement } from "../../db/sql.ts";
import { emailKey } from "../../values/email.ts";
import { parseUrl } from "../../values/url.ts";
import { contact } from "../contacts/contact.ts";
import { leadNamedAfter } from "../contacts/contact_verbs.ts";
import { lead } from "../leads/lead.ts";
import type { Body } from "./bodies.ts";
import { type Import, leadsOfKeys, type RowError } from "./import_rows.ts";
import type { ReadRow } from "./read_row.ts";

type By = "id" | "url" | "email" | "name" | "domain";

/** What a row is found by. */
export interface Sought {
  by: By;
  value: string;
}

/** Where a row belongs. Rows with the same key belong to one lead. */
export interface Place {
  key: string | null;
  /** The lead that has it; null for a new one. */
  lead_id: string | null;
  /** The lead was there before the import. */
  existed: boolean;
  errors: RowError[];
}

/** The places of rows, in their order. */
export async function findPlaces(ctx: Ctx, imp: Import, reads: readonly ReadRow[]): Promise<Place[]> {
  const sought = reads.map((read) => soughtBy(imp, read));
  const keys = reads.map((read, i) => keyOf(read, sought[i]!));
  const [earlier, existing] = [
    await leadsOfKeys(ctx, imp.id, [...new Set(keys.filter((key) => key !== null))]),
    await existingLeads(ctx, looksUp(imp) ? sought : []),
  ];
  return reads.map((read, i) => {
    const [one, key] = [sought[i]!, keys[i]!];
    const ids = (one && existing.get(textOf(one))) ?? new Set<string>();
    const again = key === null ? undefined : earlier.get(key);
    if (again !== undefined) return { key, lead_id: again.lead_id, existed: !again.isNew, errors: [] };
    return { key, lead_id: [...ids][0] ?? null, existed: ids.size > 0, errors: misfits(read, one, ids) };
  });
}

/** What the rows of one record have in common; null for a row that stands for itself. */
export const keysOf = (imp: Import, reads: readonly ReadRow[]): (string | null)[] =>
  reads.map((read) => {
    const { bodies, errors } = read;
    if (errors.length > 0 || imp.object_type === "task") return null;
    const { code, name } = bodies.product;
    if (imp.object_type === "product")
      return `product:${plainWords((imp.options.match_by === "name" ? undefined : code) ?? name ?? "")}`;
    return keyOf(read, soughtBy(imp, read));
  });

/** With `create`, leads are always new; people and deals still go to the leads that exist. */
export const looksUp = ({ object_type, options }: Import): boolean =>
  options.match_by !== "none" && !(options.on_match === "create" && object_type === "lead");

const textOf = ({ by, value }: Sought): string => `${by}:${value}`;

function misfits(read: ReadRow, sought: Sought | null, ids: ReadonlySet<string>): RowError[] {
  if (ids.size > 1) {
    const some = [...ids].slice(0, 3).join(", ");
    return [{ ...columnOf(read, sought!), error: `fits ${ids.size} leads (${some}): merge them, or match by id` }];
  }
  return sought?.by === "id" && ids.size === 0 ? [{ ...columnOf(read, sought), error: "is no lead that you can see" }] : [];
}

function columnOf({ columns }: ReadRow, { by }: Sought): { column?: string } {
  const places = {
    id: ["lead.id"],
    url: ["lead.url"],
    email: ["contact.emails.0", "lead.emails.0"],
    name: ["lead.name", "contact.name"],
    domain: ["contact.emails.0", "lead.emails.0"],
  };
  const column = places[by].map((place) => columns.get(place)).find((name) => name !== undefined);
  return column === undefined ? {} : { column };
}

/** What a row is found by: the wanted value, or the next best one if the row does not have it. */
function soughtBy({ options }: Import, { bodies: { lead: company }, people: [person = {}], group }: ReadRow): Sought | null {
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
  const named = Object.keys(person).length > 0 ? leadNamedAfter({ ...person, name: nameIn(person) }).name : null;
  return named ? { by: "name", value: named } : null;
}

/** The name that a contact of this body would get. */
export const nameIn = ({ name, first_name, last_name }: Body): string | null =>
  name ?? ([first_name, last_name].filter((one) => one).join(" ") || null);

/** A company has one name, but its people have many addresses. */
function keyOf({ bodies: { lead: company }, group }: ReadRow, sought: Sought | null): string | null {
  if (group !== null && company.id === undefined) return `group:${plainWords(group.value)}`;
  if (sought === null) return null;
  return sought.by === "email" && company.name ? `name:${plainWords(company.name)}` : `${sought.by}:${plainWords(sought.value)}`;
}

/** Names are compared without case, accents and repeated spaces. */
export const plainWords = (text: string): string =>
  text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().replaceAll(/\s+/g, " ").trim();

const hostOf = (raw: string): string | undefined => {
  const url = parseUrl(raw, { prefix: true });
  return url === null ? undefined : new URL(url).hostname.replace(/^www\./, "").toLowerCase();
};

// --- existing leads ---

/** The leads that each of these finds and the caller can see, in one statement for each way. */
async function existingLeads(ctx: Ctx, all: readonly (Sought | null)[]): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>();
  for (const [by, some] of Map.groupBy(
    all.filter((one) => one !== null),
    (one) => one.by,
  )) {
    const values = [...new Set(some.map(({ value }) => value))];
    for (const [value, id] of (await Promise.all(searches[by](ctx, values).map((one) => query(ctx, statement(one))))).flat()) {
      const text = textOf({ by, value: value! });
      found.set(text, (found.get(text) ?? new Set()).add(id!));
    }
  }
  return found;
}

const given = (values: readonly string[]): Sql => sql`unnest(${values}::text[]) g(value)`;

/** Select the value and the id of a lead. */
const searches: Readonly<Record<By, (ctx: Ctx, values: readonly string[]) => Sql[]>> = {
  id: (ctx, values) => [leadsBy(ctx, values, sql`t.id = g.value`)],
  name: (ctx, values) => [leadsBy(ctx, values, sql`t.name is not null and sort_key(t.name) = sort_key(g.value)`)],
  url: (ctx, values) => [
    leadsBy(ctx, values, sql`t.url is not null and lower(substring(t.url from '^[a-z]+://(?:www\\.)?([^/:?#]+)')) = g.value`),
  ],
  domain: (ctx, values) => [...searches.url(ctx, values), ...searches.name(ctx, values)],
  email: (ctx, values) => [
    leadsBy(ctx, values, sql`t.email_keys @> array[g.value]`),
    sql`select g.value, t.lead_id from ${given(values)} join ${from(contact, "t")} on ${and([...scope(ctx, contact), sql`t.email_keys @> array[g.value]`])}`,
  ],
};

const leadsBy = (ctx: Ctx, values: readonly string[], condition: Sql): Sql =>
  sql`select g.value, t.id from ${given(values)} join ${from(lead, "t")} on ${and([...scope(ctx, lead), condition])}`;
