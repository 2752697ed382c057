// The verbs of opportunities.

import { type Ctx, userOf } from "../../core/context.ts";
import { invalid, refuse } from "../../core/errors.ts";
import type { Create, Patch, Row, Values } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { todayOf, zoneOf } from "../../records/clock.ts";
import { changedFields, emit } from "../../records/event.ts";
import { createRecord, findRecord, findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { formatMoney } from "../../values/money.ts";
import { notAmong } from "../../values/reasons.ts";
import { endOfDay, parseDate } from "../../values/time.ts";
import { bothForms } from "../activities/both_forms.ts";
import { logOpportunityStatusChange, removeStatusChangesOf } from "../activities/system_activities.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { nameOfCaller, notify } from "../notifications/notify.ts";
import { isActiveMember } from "../organization/organization.ts";
import { quote } from "../quotes/quote.ts";
import { endWays } from "../sequences/stops.ts";
import { dateOfState, refuseEndBeforeCreated } from "../shared/history.ts";
import { refuseBoth } from "../shared/resolve_label.ts";
import { lineItem } from "./line_item.ts";
import { opportunity } from "./opportunity.ts";
import { opportunityStatus, type StatusType } from "./opportunity_status.ts";
import { pipeline } from "./pipeline.ts";

type Opportunity = Row<typeof opportunity>;
type Status = Row<typeof opportunityStatus>;

/** Members of a body that are not stored as they are sent. */
type Said = Pick<
  Create<typeof opportunity>,
  "status_id" | "status" | "pipeline_id" | "user_id" | "note" | "note_html" | "close_date" | "expected_close_date"
>;

export async function createOpportunity(ctx: Ctx, given: Create<typeof opportunity>): Promise<Opportunity> {
  const status = statusOf(ctx, given, undefined) ?? firstOf(statusesOf(ctx, given.pipeline_id));
  refuseEndBeforeCreated(given);
  const values = await plain(ctx, given, undefined);
  const stamped = stamps(ctx, status, undefined, values);
  const lead_id = await leadOf(ctx, given);

  const row = store.insert(ctx, opportunity, {
    user_id: userOf(ctx),
    ...values,
    ...stamped,
    lead_id,
    status_id: status.id,
  });
  if (status.type !== "active") emit(ctx, opportunity, { action: status.type, after: row });
  if (status.type === "won") await stopForWin(ctx, row);
  tellUser(ctx, row, "opportunity_assigned");
  return row;
}

/** A change of status also gets its own event. */
export async function updateOpportunity(ctx: Ctx, before: Opportunity, patch: Patch<typeof opportunity>): Promise<Opportunity> {
  const values = await plain(ctx, patch, before);
  refuseWorth(before, values);
  const status = statusOf(ctx, patch, before);
  const present = ctx.directory.get(opportunityStatus, before.status_id)!;
  const change = { ...(status && { status_id: status.id }), ...stamps(ctx, status ?? present, before, values) };
  if (typeof values.contact_id === "string") await leadOf(ctx, { lead_id: before.lead_id, contact_id: values.contact_id });
  if (values.value_currency !== undefined && values.value_currency !== before.value_currency)
    await refuseOtherCurrency(ctx, before);

  const after = store.update(ctx, opportunity, before, { ...values, ...change });
  if (after.status_id !== before.status_id) noteStatusChange(ctx, before, after);
  if (after.user_id !== before.user_id) tellUser(ctx, after, "opportunity_assigned");
  if (typeOf(ctx, after) === "won" && typeOf(ctx, before) !== "won") {
    tellUser(ctx, after, "opportunity_won");
    await stopForWin(ctx, after);
  }
  return after;
}

/** Whoever has bought needs no more mail that asks for it. */
async function stopForWin(ctx: Ctx, { lead_id, date_won }: Opportunity): Promise<void> {
  const at = endOfDay(date_won!, zoneOf(ctx.directory, ctx));
  await endWays(ctx, { addresses: [], lead_id, at }, "won");
}

const typeOf = (ctx: Ctx, { status_id }: Opportunity): StatusType | undefined =>
  ctx.directory.get(opportunityStatus, status_id)?.type;

/** Notifies the deal's owner. */
function tellUser(ctx: Ctx, deal: Opportunity, type: "opportunity_assigned" | "opportunity_won"): void {
  const worth = formatMoney(deal.value, deal.value_currency);
  const what = worth === null ? "a deal" : `a deal of ${worth}`;
  const title =
    type === "opportunity_won" ? `${nameOfCaller(ctx)} marked ${what} as won` : `${nameOfCaller(ctx)} assigned you ${what}`;
  notify(ctx, [deal.user_id], { type, title, object_type: "opportunity", object_id: deal.id, lead_id: deal.lead_id });
}

/** Events for won and lost deals. A change from one won status to another writes none. */
function noteStatusChange(ctx: Ctx, before: Opportunity, after: Opportunity): void {
  const changed = changedFields(opportunity, before, after);
  emit(ctx, opportunity, { action: "status_updated", before, after, changed });
  const type = typeOf(ctx, after);
  if (type !== typeOf(ctx, before) && (type === "won" || type === "lost"))
    emit(ctx, opportunity, { action: type, before, after, changed });
  logOpportunityStatusChange(ctx, before, after);
}

/** Records linked to a deal stay with the lead. The history of its statuses is deleted with it. */
export async function deleteOpportunity(ctx: Ctx, before: Opportunity): Promise<void> {
  await removeStatusChangesOf(ctx, before.id);
  await store.remove(ctx, opportunity, [before]);
}

type Placed = { lead_id?: string; contact_id?: string | null; date_created?: string };

/** The lead of a new deal: the given one, or else the contact's, or else a new one. */
async function leadOf(ctx: Ctx, { lead_id, contact_id, date_created }: Placed): Promise<string> {
  if (!contact_id) return lead_id ?? (await createRecord(ctx, lead, { date_created })).id;
  const person = await findRecord(ctx, contact, contact_id);
  if (person === null) throw invalid({ contact_id: "does not exist" });
  if (lead_id !== undefined && person.lead_id !== lead_id) throw invalid({ contact_id: "must be a contact of the lead" });
  return person.lead_id;
}

/** Values that follow from the lines can only be changed by changing the lines. */
function refuseWorth(deal: Opportunity, given: Patch<typeof opportunity>): void {
  if (deal.line_items_total === null) return;
  const errors: Record<string, string> = {};
  if (given.value !== undefined && given.value !== deal.value)
    errors.value = "is the sum of the line items: add or delete those to change it";
  if (given.value_period !== undefined && given.value_period !== deal.value_period)
    errors.value_period = "follows from the billing_period of the line items";
  refuse(errors);
}

/** Line items and open quotes are in the deal's currency. */
async function refuseOtherCurrency(ctx: Ctx, deal: Opportunity): Promise<void> {
  const items = await findRecords(ctx, lineItem, [sql`t.opportunity_id = ${deal.id}`], sql`limit 1`);
  if (items.length > 0)
    throw invalid({ value_currency: `cannot be changed while there are line items in ${deal.value_currency}` });
  const asked = [sql`t.opportunity_id = ${deal.id}`, sql`t.status in ('draft', 'open')`];
  if ((await findRecords(ctx, quote, asked, sql`limit 1`)).length > 0)
    throw invalid({ value_currency: `cannot be changed while there are quotes in ${deal.value_currency}: cancel them first` });
}

// --- status ---

/** The status that a body asks for, by id, by label, or as the first one of another pipeline. Null when it asks for none. */
function statusOf(ctx: Ctx, given: Said, before: Opportunity | undefined): Status | null {
  const { status_id, status: label, pipeline_id } = given;
  refuseBoth(given, "status_id", "status", before);
  const statuses = statusesOf(ctx, pipeline_id);
  const present = ctx.directory.get(opportunityStatus, before?.status_id);
  const refusal = pipeline_id === undefined ? "does not exist" : "is not in the pipeline";

  if (status_id !== undefined && label === undefined) {
    const found = statuses.find((status) => status.id === status_id);
    if (found === undefined) throw invalid({ status_id: refusal });
    return found;
  }
  if (label !== undefined) {
    // When several pipelines have the label, the deal's own comes first.
    const found = statuses.filter((status) => status.label === label);
    const status = found.find((one) => one.pipeline_id === present?.pipeline_id) ?? found[0];
    if (status === undefined) throw invalid({ status: notAmong(label, new Set(statuses.map((one) => one.label))) });
    return status;
  }
  return pipeline_id === undefined || pipeline_id === present?.pipeline_id ? null : firstOf(statuses);
}

function firstOf(statuses: readonly Status[]): Status {
  const [first] = statuses;
  if (first === undefined) throw invalid({ pipeline_id: "has no statuses: add one first" });
  return first;
}

/** The statuses of a pipeline, or of all pipelines, in order. */
function statusesOf(ctx: Ctx, pipelineId: string | undefined): Status[] {
  const pipelines = ctx.directory.list(pipeline).filter((one) => pipelineId === undefined || one.id === pipelineId);
  if (pipelines.length === 0) throw invalid({ pipeline_id: pipelineId === null ? "must not be null" : "does not exist" });
  const all = ctx.directory.list(opportunityStatus);
  return pipelines.flatMap((one) => all.filter((status) => status.pipeline_id === one.id));
}

/**
 * The dates that change with the status. Winning or losing a deal sets a date, and reopening it removes the date. A deal that is
 * created as won or lost gets its date of creation.
 */
function stamps(ctx: Ctx, { type }: Status, before: Opportunity | undefined, given: Values<typeof opportunity>) {
  return datesOf(ctx, ctx.directory.get(opportunityStatus, before?.status_id)?.type, type, before, given);
}

/** The dates for the type of a deal's status. */
export function datesOf(
  ctx: Ctx,
  was: StatusType | undefined,
  type: StatusType,
  before: Opportunity | undefined,
  given: Values<typeof opportunity> = {},
) {
  const since = given.date_created ?? ctx.now.toISOString();
  const lost = { was: was === "lost", is: type === "lost", called: "a lost status", before: before?.date_lost };
  const date_won = given.date_won ?? before?.date_won ?? todayOf(ctx.directory, { ...ctx, now: new Date(since) });
  return {
    ...dateOfState("date_lost", given.date_lost, lost, since),
    ...(type === "won" && was !== "won" ? { date_won } : {}),
  };
}

// --- other names of stored fields ---

async function plain<T extends Said>(
  ctx: Ctx,
  { status, status_id, pipeline_id, close_date, ...given }: T,
  before: Opportunity | undefined,
) {
  if (status === null) throw invalid({ status: "must not be null" });
  const isGiven = typeof given.user_id === "string" && given.user_id !== before?.user_id;
  if (isGiven && !isActiveMember(ctx.directory, given.user_id!)) throw invalid({ user_id: "is not an active member" });
  const noted = await bothForms(
    ctx,
    { text: given.note, html: given.note_html },
    { text: before?.note, html: before?.note_html },
  );
  return {
    ...given,
    ...(noted && { note: noted.text, note_html: noted.html }),
    ...expected(given, close_date, before),
  };
}

function expected(
  given: Said,
  close_date: string | null | undefined,
  before: Opportunity | undefined,
): Pick<Said, "expected_close_date"> {
  if (close_date === undefined) return {};
  const day = close_date === null || close_date === "" ? null : parseDate(close_date, { cutTime: true });
  if (day === null && close_date) throw invalid({ close_date: "must be a date such as 2026-01-02" });
  if (given.expected_close_date !== undefined && day === before?.expected_close_date) return {};
  refuseBoth({ ...given, close_date: day }, "expected_close_date", "close_date", before);
  return { expected_close_date: day };
}
