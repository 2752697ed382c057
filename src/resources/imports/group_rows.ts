// Puts the rows of one company together, with the lead and the people that exist already. These are locked.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { emailKey } from "../../values/email.ts";
import { contact } from "../contacts/contact.ts";
import { leadNamedAfter } from "../contacts/contact_verbs.ts";
import { lockShares } from "../contacts/sharing.ts";
import { lead } from "../leads/lead.ts";
import type { Body } from "./bodies.ts";
import { findPlaces, nameIn, type Place, plainWords } from "./find_leads.ts";
import { failedRow, type Import, type Outcome, skippedRow, type Touched } from "./import_rows.ts";
import type { ReadRow } from "./read_row.ts";

type Contact = Row<typeof contact>;

/** A person of some rows, and what these say about them. */
export interface Person {
  rows: ReadRow[];
  bodies: Body[];
  before: Contact | null;
  values: Body;
  /** Whether each of the rows changes something. */
  changes: boolean[];
  after: Contact | null;
}

/** The rows of one lead. */
export interface Group {
  key: string | null;
  rows: ReadRow[];
  before: Row<typeof lead> | null;
  /** It is only the place of other records, and stays as it is. */
  keeps: boolean;
  /** The name of a new lead without one. */
  newName: string | null;
  people: Person[];
  values: Body;
  changes: boolean[];
  after: Row<typeof lead> | null;
  /** What was created or changed, by the row that caused it. */
  touched: Map<number, Touched[]>;
}

/** The groups of rows, and what becomes of the rows that are in none. */
export async function groupRows(
  ctx: Ctx,
  imp: Import,
  reads: readonly ReadRow[],
): Promise<{ groups: Group[]; outcomes: Outcome[] }> {
  const outcomes: Outcome[] = [];
  const places = await findPlaces(ctx, imp, reads);
  const skips = imp.options.on_match === "skip" && imp.object_type === "lead";
  const together = new Map<string, { place: Place; rows: ReadRow[] }>();
  for (const [i, read] of reads.entries()) {
    const place = places[i]!;
    if (isEmpty(read)) outcomes.push(skippedRow(read.row));
    else if (place.errors.length > 0) outcomes.push(failedRow(read.row, place.errors));
    else if (skips && place.existed) outcomes.push(skippedRow(read.row));
    else {
      const key = place.lead_id ?? place.key ?? `row ${read.row.n}`;
      together.set(key, { place, rows: [...(together.get(key)?.rows ?? []), read] });
    }
  }
  const all = [...together.values()];
  const found = await lockFound(ctx, all);
  const groups = all.map(({ place, rows }) => groupOf(imp, place, rows, found, outcomes));
  return { groups: groups.filter(({ rows }) => rows.length > 0), outcomes };
}

const isEmpty = ({ bodies, people }: ReadRow): boolean =>
  people.length === 0 && Object.values(bodies).every((body) => Object.keys(body).length === 0);

type Found = { leads: Map<string, Row<typeof lead>>; people: Map<string, Contact[]> };

/** People are locked before their leads, as when a person is renamed. */
async function lockFound(ctx: Ctx, all: readonly { place: Place; rows: ReadRow[] }[]): Promise<Found> {
  const ids = all.flatMap(({ place }) => place.lead_id ?? []);
  if (ids.length === 0) return { leads: new Map(), people: new Map() };
  const bodies = all.flatMap(({ place, rows }) => (place.lead_id === null ? [] : rows.flatMap((read) => read.people)));
  const known = bodies.flatMap(({ id }) => id ?? []);
  const emails = bodies.flatMap((body) => emailsIn(body));
  const names = bodies.flatMap((body) => nameIn(body) ?? []);
  const alike = sql`(t.id = any(${known}) or t.email_keys && ${emails}::text[] or sort_key(t.name) = any(array(select sort_key(n) from unnest(${names}::text[]) n)))`;
  const seen = bodies.length === 0 ? [] : await findRecords(ctx, contact, [sql`t.lead_id = any(${ids})`, alike]);
  const people = await lockById(
    ctx,
    contact,
    seen.map(({ id }) => id),
  );
  const leads = await lockById(ctx, lead, ids);
  return { leads: new Map(leads.map((row) => [row.id, row])), people: Map.groupBy(people, (row) => row.lead_id) };
}

async function lockById<R extends typeof lead | typeof contact>(ctx: Ctx, of: R, ids: readonly string[]): Promise<Row<R>[]> {
  if (ids.length === 0) return [];
  if (of.name === "contact") lockShares(ctx, ids);
  return findRecords(ctx, of, [sql`t.id = any(${ids})`], sql`order by t.id for update of t`);
}

function groupOf(imp: Import, place: Place, rows: ReadRow[], { leads, people }: Found, outcomes: Outcome[]): Group {
  const before = leads.get(place.lead_id ?? "") ?? null;
  const [first] = rows;
  const found = groupPeople(imp, rows, before === null ? [] : (people.get(before.id) ?? []), place.existed, outcomes);
  const kept = rows.filter((read) => !found.gone.has(read));
  return {
    key: place.key,
    rows: kept,
    before,
    keeps: place.existed && imp.options.on_match !== undefined && imp.options.on_match !== "update",
    newName: newNameOf(first!, found.people[0]?.bodies[0]),
    people: found.people,
    values: {},
    changes: [],
    after: null,
    touched: new Map(),
  };
}

/** Null where the row has a name. Else it is the domain that the rows have in common, or the name of the first person. */
function newNameOf({ bodies, group }: ReadRow, person: Body | undefined): string | null {
  if (bodies.lead.name !== undefined) return null;
  if (group?.isDomain) return group.value;
  return person === undefined ? null : (leadNamedAfter({ ...person, name: nameIn(person) }).name ?? null);
}

/** The people of a lead's rows: each once, and as the contact that they are already. */
function groupPeople(
  { object_type, options: { on_match } }: Import,
  rows: readonly ReadRow[],
  known: readonly Contact[],
  existed: boolean,
  outcomes: Outcome[],
): { people: Person[]; gone: Set<ReadRow> } {
  const people: Person[] = [];
  const gone = new Set<ReadRow>();
  const leave = (read: ReadRow, outcome: Outcome) => void (gone.add(read), outcomes.push(outcome));
  for (const [read, body] of rows.flatMap((one) => one.people.map((person) => [one, person] as const))) {
    if (gone.has(read)) continue;
    const fits = existed && on_match === "create" ? [] : fitting(known, body);
    const same = people.find((one) => (fits.length === 1 ? one.before === fits[0] : isSame(one.bodies[0]!, body)));
    if (fits.length > 1) leave(read, failedRow(read.row, [ambiguous(read, fits)]));
    else if (fits.length === 1 && existed && on_match === "skip" && object_type === "contact") leave(read, skippedRow(read.row));
    else if (same !== undefined) {
      same.rows.push(read);
      same.bodies.push(body);
    } else people.push({ rows: [read], bodies: [body], before: fits[0] ?? null, values: {}, changes: [], after: null });
  }
  return { people: people.flatMap((one) => without(gone, one)), gone };
}

/** A row says nothing about anybody once one of its people is refused. */
function without(gone: ReadonlySet<ReadRow>, person: Person): Person[] {
  const stays = (_: unknown, i: number) => !gone.has(person.rows[i]!);
  const [rows, bodies] = [person.rows.filter(stays), person.bodies.filter(stays)];
  return rows.length === 0 ? [] : [{ ...person, rows, bodies }];
}

function ambiguous({ columns }: ReadRow, fits: readonly Contact[]) {
  const column = columns.get("contact.emails.0") ?? columns.get("contact.name");
  return { ...(column !== undefined && { column }), error: `fits ${fits.length} contacts of the lead: merge them first` };
}

/** The contact with the id, or else those with one of the addresses, or else with the name and no other address. */
function fitting(known: readonly Contact[], body: Body): Contact[] {
  const byId = known.filter(({ id }) => id === body.id);
  if (byId.length > 0) return byId;
  const emails = emailsIn(body);
  const byEmail = known.filter((one) => emailsIn(one).some((email) => emails.includes(email)));
  return byEmail.length > 0 ? byEmail : known.filter((one) => isSame(one, body));
}

function isSame(one: Body, other: Body): boolean {
  if (one.id !== undefined && other.id !== undefined && one !== other) return one.id === other.id;
  const [here, there] = [emailsIn(one), emailsIn(other)];
  if (here.length > 0 && there.length > 0) return here.some((email) => there.includes(email));
  const [name, otherName] = [nameIn(one), nameIn(other)];
  return name !== null && otherName !== null && plainWords(name) === plainWords(otherName);
}

const emailsIn = ({ emails = [] }: Body): string[] => emails.map(({ email }: { email: string }) => emailKey(email));
