// Rows that name a contact or a deal by its id. The lead of that record is the lead of the row.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { type Sql, sql } from "../../db/sql.ts";
import { readPatch } from "../../records/input.ts";
import { checkOwner, checkVisible, findRecords } from "../../records/records.ts";
import { contact } from "../contacts/contact.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import type { Body } from "./bodies.ts";
import { failedRow, type Import, type Outcome, skippedRow } from "./import_rows.ts";
import { errorsOf, type ReadRow } from "./read_row.ts";
import { keepAmounts } from "./row_currency.ts";
import { conflictsOf, onTopOf } from "./settle.ts";
import { looksUp } from "./sought.ts";
import { statusOn } from "./statuses.ts";

/** The deals that rows name, as they are now. */
export type Deals = Map<string, Row<typeof opportunity>>;

export interface Placed {
  reads: ReadRow[];
  /** What becomes of the other rows. */
  outcomes: Outcome[];
  deals: Deals;
}

/** Gives rows the leads of the records that they name. Deals are locked. */
export async function placeNamed(ctx: Ctx, imp: Import, reads: readonly ReadRow[]): Promise<Placed> {
  const placed: Placed = { reads: [], outcomes: [], deals: new Map() };
  if (!looksUp(imp)) return { ...placed, reads: reads.map(withoutIds) };
  const bodies = reads.map((read) => read.bodies);
  const dealIds = bodies.flatMap((one) => one.opportunity.id ?? []);
  placed.deals = await byId(ctx, opportunity, dealIds, sql`order by t.id for no key update of t`);
  const personIds = bodies.flatMap((one) => [one.contact.id ?? [], one.opportunity.contact_id ?? []].flat());
  const people = await byId(ctx, contact, personIds, sql``);
  for (const read of reads) {
    let outcome = refusalOfIds(read, placed.deals, people);
    // The deal only says where another one belongs.
    if (imp.options.on_match === "create") delete read.bodies.opportunity.id;
    outcome ??= await refusalOfDeal(ctx, imp, read, placed.deals.get(read.bodies.opportunity.id));
    if (outcome === null) placed.reads.push(read);
    else placed.outcomes.push(outcome);
  }
  return placed;
}

async function byId<R extends Resource>(ctx: Ctx, of: R, ids: readonly string[], end: Sql): Promise<Map<string, Row<R>>> {
  const rows = ids.length === 0 ? [] : await findRecords(ctx, of, [sql`t.id = any(${[...new Set(ids)]})`], end);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Every row is about new records. */
function withoutIds(read: ReadRow): ReadRow {
  for (const part of ["contact", "opportunity"] as const) delete read.bodies[part].id;
  delete read.bodies.opportunity.contact_id;
  return read;
}

type Leads = ReadonlyMap<string, { lead_id: string }>;

/** A row belongs to one lead. Returns null when its ids agree about it. */
function refusalOfIds(read: ReadRow, deals: Leads, people: Leads): Outcome | null {
  const { lead, contact: person, opportunity: deal } = read.bodies;
  for (const [id, found, part, field, word] of [
    [deal.id, deals, "opportunity", "id", "opportunity"],
    [person.id, people, "contact", "id", "contact"],
    [deal.contact_id, people, "opportunity", "contact_id", "contact"],
  ] as const) {
    if (id === undefined) continue;
    const known = found.get(id);
    const error = (reason: string) => failedRow(read.row, errorsOf(read, part, invalid({ [field]: reason })));
    if (known === undefined) return error(`is no ${word} that you can see`);
    if (lead.id !== undefined && lead.id !== known.lead_id) return error(`is the ${word} of another lead`);
    lead.id = known.lead_id;
  }
  return null;
}

/** A deal that may not be changed so is told before anything is written. */
async function refusalOfDeal(
  ctx: Ctx,
  imp: Import,
  read: ReadRow,
  deal: Row<typeof opportunity> | undefined,
): Promise<Outcome | null> {
  if (deal === undefined) return null;
  if (imp.options.on_match === "skip" && imp.object_type === "opportunity") return skippedRow(read.row);
  try {
    await patchOfDeal(ctx, imp, deal, read);
    return null;
  } catch (problem) {
    return failedRow(read.row, errorsOf(read, "opportunity", problem));
  }
}

/** What a row changes of a deal that exists. */
export async function patchOfDeal(
  ctx: Ctx,
  imp: Import,
  before: Row<typeof opportunity>,
  { bodies, byKind, within }: ReadRow,
  more: Body = {},
): Promise<Body> {
  const { id: _, status_id: word, ...said } = bodies.opportunity;
  const status_id = word && byKind.has("opportunity") ? statusOn(ctx.directory, before.status_id, word, within) : word;
  const body = { ...more, ...said, ...(status_id !== undefined && { status_id }) };
  if (imp.options.on_match === "skip") return {};
  checkOwner(ctx, opportunity, before, "update");
  const settled = onTopOf(before, body, conflictsOf(ctx, imp, "opportunity"));
  const values = readPatch(ctx, opportunity, keepAmounts("opportunity", before, body, settled), before);
  await checkVisible(ctx, opportunity, values, before);
  return values;
}
