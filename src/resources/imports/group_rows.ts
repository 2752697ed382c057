// Puts the rows of one company together, with the lead and the people that exist already. These are locked.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { contact } from "../contacts/contact.ts";
import { lockShares } from "../contacts/sharing.ts";
import { lead } from "../leads/lead.ts";
import type { Body } from "./bodies.ts";
import { findPlaces, type Place } from "./find_leads.ts";
import { withChange } from "./fold.ts";
import { failedRow, type Import, type Outcome, skippedRow, type Touched } from "./import_rows.ts";
import { keepsOld, madeIfTold } from "./made_by.ts";
import type { ReadRow } from "./read_row.ts";
import { type Conflicts, conflictsOf, onTopOf } from "./settle.ts";
import { emailsIn, namedAfter, nameIn, plainWords } from "./sought.ts";

type Contact = Row<typeof contact>;

/** A person of some rows, and what these say about them. */
export interface Person {
  rows: ReadRow[];
  bodies: Body[];
  before: Contact | null;
  /** It was there before the import. */
  existed: boolean;
  /** As it is after these rows. */
  state: Body;
  values: Body;
  /** Whether each of the rows changes something. */
  changes: boolean[];
  after: Contact | null;
}

/** The rows of one lead. */
export interface Group {
  rows: ReadRow[];
  /** Those of the rows, which may differ where they found the same lead. */
  keys: Map<ReadRow, string | null>;
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
  const together = new Map<string, Together>();
  for (const [i, read] of reads.entries()) {
    const place = places[i]!;
    if (isEmpty(read)) outcomes.push(skippedRow(read.row));
    else if (place.errors.length > 0) outcomes.push(failedRow(read.row, place.errors));
    else if (skips && place.existed) outcomes.push(skippedRow(read.row));
    else {
      const key = place.lead_id ?? place.key ?? `row ${read.row.n}`;
      const known: Together = together.get(key) ?? { place, rows: [], keys: new Map() };
      known.rows.push(read);
      known.keys.set(read, place.key);
      together.set(key, known);
    }
  }
  const all = [...together.values()];
  const found = await lockFound(ctx, imp, all);
  const groups = all.map((one) => groupOf(ctx, imp, one, found, outcomes));
  return { groups: groups.filter(({ rows }) => rows.length > 0), outcomes };
}

const isEmpty = ({ bodies, people }: ReadRow): boolean =>
  people.length === 0 && Object.values(bodies).every((body) => Object.keys(body).length === 0);

interface Together extends Pick<Group, "rows" | "keys"> {
  place: Place;
}

interface Found {
  leads: Map<string, Row<typeof lead>>;
  people: Map<string, Contact[]>;
  /** The people whom earlier rows have made. */
  made: ReadonlySet<string>;
}

/** People are locked before their leads, as when a person is renamed. */
async function lockFound(ctx: Ctx, imp: Import, all: readonly Together[]): Promise<Found> {
  const ids = all.flatMap(({ place }) => place.lead_id ?? []);
  if (ids.length === 0) return { leads: new Map(), people: new Map(), made: new Set() };
  const bodies = all.flatMap(({ place, rows }) => (place.lead_id === null ? [] : rows.flatMap((read) => read.people)));
  const known = bodies.flatMap(({ id }) => id ?? []);
  const emails = bodies.flatMap((body) => emailsIn(body));
  const names = bodies.flatMap((body) => nameIn(body) ?? []);
  const alike = sql`(t.id = any(${known}) or t.email_keys && ${emails}::text[] or sort_key(t.name) = any(array(select sort_key(n) from unnest(${names}::text[]) n)))`;
  const seen = bodies.length === 0 ? [] : await findRecords(ctx, contact, [sql`t.lead_id = any(${ids})`, alike]);
  const seenIds = seen.map(({ id }) => id);
  const people = await lockById(ctx, contact, seenIds);
  const leads = await lockById(ctx, lead, ids);
  return {
    leads: new Map(leads.map((row) => [row.id, row])),
    people: Map.groupBy(people, (row) => row.lead_id),
    made: await madeIfTold(ctx, imp, contact, seenIds),
  };
}

async function lockById<R extends typeof lead | typeof contact>(ctx: Ctx, of: R, ids: readonly string[]): Promise<Row<R>[]> {
  if (ids.length === 0) return [];
  if (of.name === "contact") lockShares(ctx, ids);
  return findRecords(ctx, of, [sql`t.id = any(${ids})`], sql`order by t.id for update of t`);
}

function groupOf(ctx: Ctx, imp: Import, { place, rows, keys }: Together, found: Found, outcomes: Outcome[]): Group {
  const before = found.leads.get(place.lead_id ?? "") ?? null;
  const [first] = rows;
  const known = (before === null ? [] : (found.people.get(before.id) ?? [])).map((one) => personOf(one, !found.made.has(one.id)));
  const { people, gone } = groupPeople(ctx, imp, rows, known, outcomes);
  return {
    rows: rows.filter((read) => !gone.has(read)),
    keys,
    before,
    keeps: place.existed && keepsOld(imp),
    newName: newNameOf(first!, people[0]?.bodies[0]),
    people,
    values: {},
    changes: [],
    after: null,
    touched: new Map(),
  };
}

const personOf = (before: Contact | null, existed: boolean): Person => ({
  rows: [],
  bodies: [],
  before,
  existed,
  state: before ?? {},
  values: {},
  changes: [],
  after: null,
});

/** Null where the row has a name. Else it is the domain that the rows have in common, or the name of the first person. */
function newNameOf({ bodies, group }: ReadRow, person: Body | undefined): string | null {
  if (bodies.lead.name !== undefined) return null;
  if (group?.isDomain) return group.value;
  return person === undefined ? null : namedAfter(person);
}

/** The people of a lead's rows: each once, and as the contact that they are already. A row of which one is refused says nothing about all. */
function groupPeople(
  ctx: Ctx,
  imp: Import,
  rows: readonly ReadRow[],
  contacts: readonly Person[],
  outcomes: Outcome[],
): { people: Person[]; gone: Set<ReadRow> } {
  const conflicts = conflictsOf(ctx, imp, "contact");
  const gone = new Set<ReadRow>();
  let known = [...contacts];
  for (const read of rows) {
    // What a row with several people says is tried on copies.
    const tried = read.people.length > 1 ? known.map((one) => ({ ...one, rows: [...one.rows], bodies: [...one.bodies] })) : known;
    const outcome = placePeople(imp, read, tried, conflicts);
    if (outcome === null) known = tried;
    else {
      gone.add(read);
      outcomes.push(outcome);
    }
  }
  return { people: known.filter((one) => one.rows.length > 0), gone };
}

/** Puts the people of a row to those that are known. Returns what becomes of the row if it goes no further. */
function placePeople(imp: Import, read: ReadRow, known: Person[], conflicts: Conflicts): Outcome | null {
  const { on_match } = imp.options;
  for (const body of read.people) {
    const fits = fitting(on_match === "create" ? known.filter(({ existed }) => !existed) : known, body);
    const [same] = fits;
    if (fits.length > 1) return failedRow(read.row, [ambiguous(read, fits)]);
    if (same?.existed && on_match === "skip" && imp.object_type === "contact") return skippedRow(read.row);
    const person = same ?? personOf(null, false);
    if (same === undefined) known.push(person);
    person.rows.push(read);
    person.bodies.push(body);
    const isNew = person.before === null && person.rows.length === 1;
    const stays = person.existed && keepsOld(imp);
    if (!stays) person.state = isNew ? body : withChange(person.state, onTopOf(person.state, body, conflicts));
  }
  return null;
}

function ambiguous({ columns }: ReadRow, fits: readonly Person[]) {
  const column = columns.get("contact.emails.0") ?? columns.get("contact.name");
  return { ...(column !== undefined && { column }), error: `fits ${fits.length} contacts of the lead: merge them first` };
}

/** The one with the id, or else those with one of the addresses, or else with the name and no other address. */
function fitting(known: readonly Person[], body: Body): Person[] {
  const byId = known.filter(({ state }) => state.id !== undefined && state.id === body.id);
  if (byId.length > 0) return byId;
  const emails = emailsIn(body);
  const byEmail = known.filter(({ state }) => emailsIn(state).some((email) => emails.includes(email)));
  return byEmail.length > 0 ? byEmail : known.filter(({ state }) => isSame(state, body));
}

function isSame(one: Body, other: Body): boolean {
  if (one.id !== undefined && other.id !== undefined) return one.id === other.id;
  const [here, there] = [emailsIn(one), emailsIn(other)];
  if (here.length > 0 && there.length > 0) return here.some((email) => there.includes(email));
  const [name, otherName] = [nameIn(one), nameIn(other)];
  return name !== null && otherName !== null && plainWords(name) === plainWords(otherName);
}
