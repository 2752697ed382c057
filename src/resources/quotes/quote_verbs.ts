// The verbs of quotes.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Patch, Row, Values } from "../../core/resource.ts";
import { findRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { same } from "../../values/same.ts";
import { addDays } from "../../values/time.ts";
import { contact } from "../contacts/contact.ts";
import { removeFiles } from "../files/remove_files.ts";
import { lead } from "../leads/lead.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { currencyOfOrganization, moneyMax } from "../shared/money.ts";
import { ownNames } from "../shared/other_names.ts";
import { linesMax, type QuoteLine, quote, todayOf } from "./quote.ts";
import { copiedLines, linesGiven, linesOfDeal } from "./quote_lines.ts";
import { nextQuoteNumber } from "./quote_number.ts";
import { checkStep } from "./quote_states.ts";
import { type Discount, discountable, quoteTotals } from "./quote_totals.ts";

type Quote = Row<typeof quote>;
type Opportunity = Row<typeof opportunity>;

const others = { name: "title", valid_until: "expires_at" } as const;
const daysGood = 30;
const usualTitle = (number: string): string => `Quote ${number}`;

export async function createQuote(ctx: Ctx, body: Create<typeof quote>): Promise<Quote> {
  const { status, ...given } = ownNames(quote, body, others);
  if (status !== undefined && status !== "draft") throw invalid({ status: "must be draft when a quote is created" });
  const from = await quoteNamed(ctx, given.from_quote_id);
  const values = { ...(from && contentOf(from, given.lead_id ?? undefined)), ...given };

  const deal = await dealNamed(ctx, values.opportunity_id);
  const lead_id = values.lead_id ?? deal?.lead_id;
  const contact_id = values.contact_id === undefined ? (deal?.contact_id ?? null) : values.contact_id;
  if (!lead_id) throw invalid({ lead_id: "is required, or opportunity_id" });
  await checkSameLead(ctx, lead_id, deal, contact_id);
  const currency = given.currency ?? from?.currency ?? deal?.value_currency ?? currencyOfOrganization(ctx);
  refuseOtherCurrency(currency, deal);
  const line_items = await firstLines(ctx, given.line_items, currency, from, deal);
  const expires_at = given.expires_at === undefined ? addDays(todayOf(ctx.directory, ctx.now), daysGood) : given.expires_at;
  const whole = { discount: values.discount ?? 0, discount_type: values.discount_type ?? "percentage", line_items };
  checkTotals(whole);
  const { display_name } = await leadNamed(ctx, lead_id);

  const number = await nextQuoteNumber(ctx);
  return store.insert(ctx, quote, {
    ...values,
    ...whole,
    custom: { ...from?.custom, ...given.custom },
    title: values.title === undefined ? usualTitle(number) : values.title,
    number,
    lead_id,
    kept_lead_name: display_name,
    contact_id,
    currency,
    expires_at,
    revision: (from?.revision ?? 0) + 1,
  });
}

/**
 * The changes that a body makes. The content may change while the quote is a draft. Sending back unchanged values is always
 * allowed.
 */
export async function planned(ctx: Ctx, before: Quote, body: Patch<typeof quote>): Promise<Values<typeof quote>> {
  const { line_items: lines, ...given } = ownNames(quote, body, others, before);
  const to = given.status ?? before.status;
  const currency = given.currency ?? before.currency;
  const line_items = lines === undefined ? before.line_items : await linesGiven(ctx, lines, currency, before.line_items);
  const values: Values<typeof quote> = { ...given, line_items };
  if (before.status !== "draft" && to !== "draft") refuseChangedContent(before, values);
  checkStep(ctx, before, to, values);
  if (currency !== before.currency && lines === undefined && before.line_items.length > 0)
    throw invalid({ currency: `cannot be changed while there are line items in ${before.currency}: send line_items too` });
  await checkRelated(ctx, before, { ...given, currency });
  checkTotals({ ...before, ...values } as Quote);
  return values;
}

/** A quote that was sent cannot be deleted. */
export async function deleteQuote(ctx: Ctx, before: Quote): Promise<void> {
  if (before.status !== "draft" && before.status !== "canceled")
    throw invalid({ status: "must be draft or canceled for the quote to be deleted" });
  await store.remove(ctx, quote, [before]);
  // Its PDF belonged to the quote alone once the lead was gone.
  if (before.lead_id === null && before.file_id !== null) await removeFiles(ctx, [before.file_id]);
}

// --- content ---

/** What the customer reads. */
const content = [
  "title",
  "opportunity_id",
  "contact_id",
  "currency",
  "line_items",
  "discount",
  "discount_type",
  "expires_at",
  "header",
  "description",
  "footer",
  "terms",
] as const satisfies readonly (keyof Quote)[];

function refuseChangedContent(before: Quote, values: Values<typeof quote>): void {
  const changed = content.filter((key) => values[key] !== undefined && !same(values[key], before[key]));
  if (changed.length === 0) return;
  const cure = before.status === "open" ? "set it to draft first" : "create a new version with from_quote_id";
  throw invalid({ status: `is ${before.status}, so ${changed.join(", ")} cannot be changed: ${cure}` });
}

/** What a new version takes from the earlier one: not its last day, which may be over, nor people and deals of another lead. */
function contentOf({ lead_id, opportunity_id, contact_id, ...from }: Quote, leadId: string | undefined): Create<typeof quote> {
  const title = from.title === usualTitle(from.number) ? undefined : from.title;
  const { discount, discount_type, header, description, footer, terms, notes } = from;
  const said = { title, discount, discount_type, header, description, footer, terms, notes };
  return lead_id === null || (leadId !== undefined && leadId !== lead_id)
    ? said
    : { ...said, lead_id, opportunity_id, contact_id };
}

async function firstLines(
  ctx: Ctx,
  given: readonly QuoteLine[] | undefined,
  currency: string,
  from: Quote | null,
  deal: Opportunity | null,
): Promise<QuoteLine[]> {
  if (given !== undefined) return copiedLines(ctx, await linesGiven(ctx, given, currency, from?.line_items));
  const lines = from !== null ? copiedLines(ctx, from.line_items) : deal === null ? [] : await linesOfDeal(ctx, deal.id);
  const other = lines.find((line) => line.currency !== currency);
  if (other !== undefined)
    throw invalid({ currency: `differs from the ${other.currency} of the line items that are copied: send line_items too` });
  return lines;
}

/** All lines together. With more text, nobody would read the page and the PDF would take seconds. */
const lineWordsMax = 100_000;

function checkTotals(whole: Discount & { line_items: readonly QuoteLine[] }): void {
  // Lines that are copied from a deal may be longer.
  if (whole.line_items.length > linesMax) throw invalid({ line_items: `must have ${linesMax} or fewer` });
  const words = whole.line_items.reduce((sum, line) => sum + line.name.length + (line.description?.length ?? 0), 0);
  if (words > lineWordsMax) throw invalid({ line_items: `must have ${lineWordsMax} characters or fewer in all` });
  const most = discountable(whole.line_items);
  if (whole.discount_type === "amount" && !Number.isInteger(whole.discount))
    throw invalid({ discount: "must be a whole number of minor units, as discount_type is amount" });
  if (whole.discount_type === "percentage" && whole.discount > 100) throw invalid({ discount: "must be 100 or less" });
  if (whole.discount_type === "amount" && whole.discount > most)
    throw invalid({ discount: `must be ${most} or less, the sum of the line items` });
  if (most > moneyMax || quoteTotals(whole).total > moneyMax)
    throw invalid({ line_items: "add up to more than a quote can hold" });
}

// --- related records ---

async function quoteNamed(ctx: Ctx, id: string | null | undefined): Promise<Quote | null> {
  if (!id) return null;
  return (await findRecord(ctx, quote, id)) ?? missing("from_quote_id");
}

async function dealNamed(ctx: Ctx, id: string | null | undefined): Promise<Opportunity | null> {
  if (!id) return null;
  return (await findRecord(ctx, opportunity, id)) ?? missing("opportunity_id");
}

async function leadNamed(ctx: Ctx, id: string): Promise<Row<typeof lead>> {
  return (await findRecord(ctx, lead, id)) ?? missing("lead_id");
}

function missing(field: string): never {
  throw invalid({ [field]: "does not exist" });
}

async function checkSameLead(
  ctx: Ctx,
  leadId: string | null,
  deal: Opportunity | null,
  contactId: string | null | undefined,
): Promise<void> {
  if (deal !== null && deal.lead_id !== leadId) throw invalid({ opportunity_id: "must be an opportunity of the lead" });
  if (!contactId) return;
  const person = (await findRecord(ctx, contact, contactId)) ?? missing("contact_id");
  if (person.lead_id !== leadId) throw invalid({ contact_id: "must be a contact of the lead" });
}

async function checkRelated(ctx: Ctx, before: Quote, given: Values<typeof quote> & { currency: string }): Promise<void> {
  const [deal, person] = [given.opportunity_id, given.contact_id];
  const newDeal = deal && deal !== before.opportunity_id ? await dealNamed(ctx, deal) : null;
  await checkSameLead(ctx, before.lead_id, newDeal, person !== before.contact_id ? person : null);
  const kept = deal === undefined && given.currency !== before.currency ? before.opportunity_id : null;
  refuseOtherCurrency(given.currency, newDeal ?? (await dealNamed(ctx, kept)));
}

/** The deal gets the quote's value when it is accepted. A deal has one currency, and a quote does not change it. */
function refuseOtherCurrency(currency: string, deal: Opportunity | null): void {
  if (deal !== null && deal.value_currency !== currency)
    throw invalid({ currency: `is not the deal's currency, ${deal.value_currency}` });
}
