// Rows about leads, contacts and opportunities. Rows of one company become one lead with several people. Everything that could be
// refused is checked before anything is written, and what is new is written in a few statements for all rows.
import type { Ctx } from "../../core/context.ts";
import type { Create, Patch, Resource, Row } from "../../core/resource.ts";
import { readCreate, readPatch } from "../../records/input.ts";
import { checkOwner, checkVisible, createRecord } from "../../records/records.ts";
import { same } from "../../values/same.ts";
import { note } from "../activities/note.ts";
import { contact } from "../contacts/contact.ts";
import { createContacts } from "../contacts/contact_verbs.ts";
import { lead } from "../leads/lead.ts";
import { createLeads } from "../leads/lead_verbs.ts";
import { addMembers } from "../lists/members.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { apart, isOneByOne } from "./apart.ts";
import type { Body } from "./bodies.ts";
import { changeOf } from "./change_of.ts";
import { type Folded, fold } from "./fold.ts";
import { type Group, groupRows, type Person } from "./group_rows.ts";
import { failedRow, type Import, keepOutcomes, type Outcome, type Touched } from "./import_rows.ts";
import { type Deals, patchOfDeal, placeNamed } from "./named_records.ts";
import { errorsOf, type ReadRow } from "./read_row.ts";
import { type Conflicts, conflictsOf } from "./settle.ts";
import { plainWords } from "./sought.ts";
import { saysNoMore } from "./statuses.ts";

type Rec = Row<Resource> & Record<string, any>;

/**
 * What becomes of each of these rows, which have been read without errors. It is the same as if each were taken after the other, so it
 * does not matter in which transactions an import takes its rows, or a dry run.
 */
export async function takeLeads(ctx: Ctx, imp: Import, reads: readonly ReadRow[]): Promise<Outcome[]> {
  const parts = apart(imp, reads);
  const outcomes: Outcome[] = [];
  for (const part of parts) outcomes.push(...(await takePart(ctx, imp, part, parts.length > 1)));
  return outcomes;
}

/** Rows that do not find what others of them bring. Those that have to be taken one after the other follow. */
async function takePart(ctx: Ctx, imp: Import, reads: readonly ReadRow[], isFollowed: boolean): Promise<Outcome[]> {
  const named = await placeNamed(ctx, imp, reads);
  const { groups, outcomes } = await groupRows(ctx, imp, named.reads);
  outcomes.push(...named.outcomes);
  const ready: Group[] = [];
  const single: ReadRow[] = [];
  const conflicts = { lead: conflictsOf(ctx, imp, "lead"), contact: conflictsOf(ctx, imp, "contact") };
  for (const group of groups) {
    const refused = isOneByOne(group, conflicts) ? oneByOne : await plan(ctx, imp, group, conflicts);
    if (refused === null) ready.push(group);
    else if (refused === oneByOne || group.rows.length > 1) single.push(...group.rows);
    else outcomes.push(...group.rows.map((read) => failedRow(read.row, errorsOf(read, refused.part, refused.problem))));
  }
  await writeLeads(ctx, ready);
  await writePeople(ctx, ready);
  for (const group of ready) for (const read of group.rows) outcomes.push(await writeRest(ctx, imp, group, read, named.deals));
  await joinList(ctx, imp, ready);
  // The rows that follow in this transaction find these by their keys.
  if (isFollowed || single.length > 0) keepOutcomes(ctx, imp.id, outcomes);
  for (const read of single.toSorted((one, other) => one.row.n - other.row.n))
    outcomes.push(...(await takePart(ctx, imp, [read], true)));
  return outcomes;
}

const oneByOne = { part: "lead", problem: null } as const;

type Refused = { part: "lead" | "contact"; problem: unknown } | null;

/** Decides what is written for a group. Returns why it is refused. */
async function plan(ctx: Ctx, imp: Import, group: Group, conflicts: Record<"lead" | "contact", Conflicts>): Promise<Refused> {
  const { before, keeps, newName, people } = group;
  try {
    const given = before === null ? begun(imp, newName, group.rows) : group.rows.map((read) => read.bodies.lead);
    const bodies = withTags(imp, withoutSameStatuses(ctx, before, group.rows, withoutSameNames(before, given)));
    const said = foldOf(ctx, lead, before, bodies, conflicts.lead);
    const body = before === null ? { ...said.body, source: "import" } : said.body;
    group.values = keeps ? {} : await valuesFor(ctx, lead, before, body);
    group.changes = said.changes.map((one) => one && !keeps);
  } catch (problem) {
    return { part: "lead", problem };
  }
  try {
    for (const person of people) {
      const said = foldOf(ctx, contact, person.before, withTags(imp, person.bodies), conflicts.contact);
      const stays = keeps && person.existed;
      person.values = stays ? {} : await valuesFor(ctx, contact, person.before, said.body);
      person.changes = said.changes.map((one) => one && !stays);
    }
  } catch (problem) {
    return { part: "contact", problem };
  }
  return null;
}

/** Of a single row, what was changed tells it afterwards. */
function foldOf(ctx: Ctx, of: Resource, before: Rec | null, bodies: readonly Body[], conflicts: Conflicts): Folded {
  return fold(before, bodies.map(withoutId), conflicts, (change) => {
    if (bodies.length === 1) return false;
    const patch = readPatch(ctx, of, change, before!);
    return Object.entries(patch).some(([key, value]) => !same(value, before![key]));
  });
}

const withoutId = ({ id: _, ...body }: Body): Body => body;

/** A lead that is found by its name keeps its own spelling. */
function withoutSameNames(before: Row<typeof lead> | null, bodies: readonly Body[]): Body[] {
  let present: string | null = before?.name ?? null;
  return bodies.map((body) => {
    const { name, ...said } = body;
    if (name === undefined || (present !== null && plainWords(present) === plainWords(name))) return said;
    present = name;
    return body;
  });
}

/** A status that a row only says by its kind leaves one of this kind as it is. */
function withoutSameStatuses(ctx: Ctx, before: Row<typeof lead> | null, rows: readonly ReadRow[], bodies: Body[]): Body[] {
  let present: string | null = before?.status_id ?? null;
  return bodies.map((body, i) => {
    const { status_id, ...rest } = body;
    if (rows[i]!.byKind.has("lead") && saysNoMore(ctx.directory, "lead", present, status_id)) return rest;
    present = status_id ?? present;
    return body;
  });
}

/** The first row of a new lead brings what every new lead gets. */
const begun = ({ options }: Import, newName: string | null, [first, ...others]: readonly ReadRow[]): Body[] => [
  {
    ...(options.default_status_id && { status_id: options.default_status_id }),
    ...(options.owner_id && { owner_id: options.owner_id }),
    ...(newName !== null && { name: newName }),
    ...first!.bodies.lead,
  },
  ...others.map((read) => read.bodies.lead),
];

/** The first of the rows brings the tags that every record gets. */
const withTags = ({ options: { tags = [] } }: Import, [first = {}, ...others]: readonly Body[]): Body[] =>
  tags.length === 0 ? [first, ...others] : [{ ...first, tags: [...new Set([...(first.tags ?? []), ...tags])] }, ...others];

/** The values of a create, or the patch of an update, as a request with this body would give. */
async function valuesFor(ctx: Ctx, of: Resource, before: Rec | null, body: Body): Promise<Body> {
  if (before !== null) checkOwner(ctx, of, before, "update");
  const values: Body =
    before === null
      ? readCreate(ctx, of, { params: {}, query: {}, body, strict: false }).input
      : readPatch(ctx, of, body, before);
  await checkVisible(ctx, of, values, before ?? {});
  return values;
}

async function writeLeads(ctx: Ctx, groups: readonly Group[]): Promise<void> {
  const fresh = groups.filter(({ before }) => before === null);
  const made =
    fresh.length === 0
      ? []
      : await createLeads(
          ctx,
          fresh.map(({ values }) => values as Create<typeof lead>),
        );
  for (const [i, group] of fresh.entries()) group.after = made[i]!;
  for (const group of groups) if (group.before !== null) group.after = await changed(ctx, lead, group.before, group.values);
  for (const group of groups) noteTouched(group, lead, group.before, group.after!, causeOf(group));
}

async function writePeople(ctx: Ctx, groups: readonly Group[]): Promise<void> {
  const people = groups.flatMap((group) => group.people.map((person) => ({ group, person })));
  const fresh = people.filter(({ person }) => person.before === null);
  const values = fresh.map(
    ({ group, person }) => ({ ...person.values, lead_id: group.after!.id }) as Create<typeof contact> & { lead_id: string },
  );
  const made = await createContacts(ctx, values);
  for (const [i, { person }] of fresh.entries()) person.after = made[i]!;
  for (const { person } of people)
    if (person.before !== null) person.after = await changed(ctx, contact, person.before, person.values);
  for (const { group, person } of people) noteTouched(group, contact, person.before, person.after!, causeOf(person));
}

/** The first row that changes something. */
const causeOf = ({ rows, changes }: Pick<Group, "rows" | "changes">): ReadRow => rows[changes.indexOf(true)] ?? rows[0]!;

async function changed<R extends Resource>(ctx: Ctx, of: R, before: Row<R>, values: Body): Promise<Row<R>> {
  return Object.keys(values).length === 0
    ? before
    : ((await ctx.registry.verb(of, "update")(ctx, before, values as Patch<R>)) as Row<R>);
}

/** Notes at the row that caused it what was created or changed, so that it can be reverted. */
function noteTouched(group: Group, of: Resource, before: Rec | null, after: Rec, { row }: ReadRow): void {
  const touched = before === null ? { of: of.name, id: after.id, version: after.version } : changeOf(of, before, after);
  if (touched !== null) group.touched.set(row.n, [...(group.touched.get(row.n) ?? []), touched]);
}

/** The deal and the note of a row, and what became of it. */
async function writeRest(ctx: Ctx, imp: Import, group: Group, read: ReadRow, deals: Deals): Promise<Outcome> {
  const lead_id = group.after!.id;
  const people = group.people.filter(({ rows }) => rows.includes(read));
  const person = people.find(({ bodies }) => bodies.includes(read.bodies.contact));
  const touched = [...(group.touched.get(read.row.n) ?? [])];
  const place = { lead_id, ...contactOf(person) };
  const { id: dealId, ...deal } = read.bodies.opportunity;
  const named = deals.get(dealId);
  if (named !== undefined) {
    const after = await changed(ctx, opportunity, named, await patchOfDeal(ctx, imp, named, read, contactOf(person)));
    deals.set(dealId, after);
    const change = changeOf(opportunity, named, after);
    if (change !== null) touched.push(change);
  }
  for (const [of, body] of [
    [opportunity, named === undefined ? deal : {}],
    [note, read.bodies.activity],
  ] as [Resource, Body][]) {
    if (Object.keys(body).length === 0) continue;
    const { input } = readCreate(ctx, of, { params: {}, query: {}, body: { ...place, ...body }, strict: false });
    const { id, version } = await createRecord(ctx, of, input);
    touched.push({ of: of.name, id, version });
  }
  return {
    n: read.row.n,
    status: touched.length > 0 || [group, ...people].some((one) => changes(one, read)) ? stateOf(touched) : "skipped",
    object_ids: [
      ...new Set([
        lead_id,
        ...people.map(({ after }) => after!.id),
        ...(named === undefined ? [] : [dealId]),
        ...touched.map(({ id }) => id),
      ]),
    ],
    errors: [],
    key: group.keys.get(read) ?? null,
    kept: touched,
  };
}

const changes = ({ rows, changes: all }: Pick<Group, "rows" | "changes">, read: ReadRow): boolean =>
  rows.some((row, i) => row === read && all[i] === true);

const contactOf = (person: Person | undefined): Body => (person === undefined ? {} : { contact_id: person.after!.id });

/** A note alone creates no record of the kind that is counted. */
const stateOf = (touched: readonly Touched[]): "created" | "updated" =>
  touched.some(({ of, was }) => was === undefined && of !== note.name) ? "created" : "updated";

/** A list is one of leads or one of contacts. */
async function joinList(ctx: Ctx, { options: { list_id } }: Import, groups: readonly Group[]): Promise<void> {
  if (!list_id) return;
  const people = groups.flatMap((group): Person[] => group.people).map(({ after }) => after!.id);
  if (list_id.startsWith("llist_"))
    await addMembers(
      ctx,
      "lead",
      list_id,
      groups.map(({ after }) => after!.id),
    );
  else await addMembers(ctx, "contact", list_id, people);
}
