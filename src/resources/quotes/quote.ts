// A quote: an offer to a lead, with prices and a last day.
import { z } from "zod";
import type { Directory } from "../../core/directory.ts";
import {
  choice,
  computed,
  date,
  integer,
  json,
  label,
  lookedUp,
  type Moment,
  number,
  ref,
  text,
  timestamp,
} from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { type Filter } from "../../core/search.ts";
import { name, sql } from "../../db/sql.ts";
import { checkAmong, readValues } from "../../records/comparisons.ts";
import { searched } from "../../search/searched.ts";
import { formatMoney } from "../../values/money.ts";
import { todayIn } from "../../values/time.ts";
import { visibleAsLastLead } from "../leads/visibility.ts";
import { lineItem } from "../opportunities/line_item.ts";
import type { Line, LineTotals } from "../opportunities/line_totals.ts";
import { organizationOf } from "../organization/organization.ts";
import { dateCreated } from "../shared/history.ts";
import { currency, moneyMax, type Period } from "../shared/money.ts";
import { authorNames } from "../shared/names.ts";
import { otherName } from "../shared/other_names.ts";
import { parties } from "./parties.ts";
import { type Discount, quoteTotals, taxesOf, totalByPeriod } from "./quote_totals.ts";

export const quoteStates = ["draft", "open", "accepted", "declined", "expired", "canceled"] as const;
export type QuoteState = (typeof quoteStates)[number];

/** A line as it was written into the quote. */
export interface QuoteLine extends Line, LineTotals {
  id: string;
  product_id: string | null;
  name: string;
  description: string | null;
  currency: string;
  billing_period: Period;
  position: number;
}

export const linesMax = 500;
const wordsMax = 20_000;

export const quote = resource({
  name: "quote",
  prefix: "quot",
  doc: "An offer to a lead. It is written as a draft. Once sent, it has a page where it is accepted or declined.",
  commentable: true,
  custom: "quote",
  visible: visibleAsLastLead,
  owned: { by: "created_by", own: "delete_own_opportunities", others: "manage_others_opportunities" },
  indexed: ["lead_id", "opportunity_id", "contact_id"],
  sort: { total: true, expires_at: true, number: true },
  search: searched({
    words: (row: { number: string; title: string | null; description: string | null }) => [
      { text: row.number },
      { text: row.title },
      { text: row.description },
    ],
    covers: ["number", "title", "description"],
  }),
  filters: { status: statusFilter(), status__in: statusFilter() },
  expand: {
    lead: { resource: "lead", via: "lead_id", many: false },
    opportunity: { resource: "opportunity", via: "opportunity_id", many: false },
    contact: { resource: "contact", via: "contact_id", many: false },
  },
  fields: {
    number: text({ filled: true, readOnly: true, doc: "Such as `Q-000001`: numbered without gaps." }),
    title: text({ doc: "By default `Quote` and its number." }),
    name: otherName("title", text()),
    lead_id: ref(
      "lead",
      { onDelete: "clear", onMove: "clear" },
      { createOnly: true, doc: "The lead; by default the opportunity's." },
    ),
    lead_name: label("lead_id", "lead", "display_name", "The lead's name; it stays when the lead is deleted.", "kept_lead_name"),
    kept_lead_name: text({ readOnly: true, hidden: true, max: 1000 }),
    opportunity_id: ref("opportunity", { onDelete: "clear", onMove: "clear" }, { doc: "A deal of the lead." }),
    contact_id: ref(
      "contact",
      { onDelete: "clear", onMove: "clear" },
      { doc: "The person it is for, a contact of the lead; by default the opportunity's." },
    ),
    contact_name: label("contact_id", "contact", "display_name"),
    status: choice(quoteStates, {
      default: "draft",
      doc: "`draft` becomes `open` or `canceled`; `open` becomes `accepted`, `declined`, `expired`, `canceled` or `draft` again; the others are final.",
      shown: lookedUp(
        ["status", "expires_at"],
        z.enum(quoteStates),
        stateNow,
        "An open quote expires when its last day is over.",
      ),
    }),
    currency: currency({ filled: true, doc: "By default the opportunity's, or else the organization's." }),
    line_items: json(givenLines(), {
      default: [] as QuoteLine[],
      output: shownLines(),
      doc: "The lines in their order, each like a line item of an opportunity; by default the opportunity's. They are replaced as a whole.",
    }),
    discount: number({
      min: 0,
      max: moneyMax,
      default: 0,
      doc: "On the whole quote, before tax: percent or minor units, see `discount_type`.",
    }),
    discount_type: choice(["percentage", "amount"], { default: "percentage" }),
    subtotal: total("subtotal", "The lines, each quantity times price: before all discounts, and before tax on top."),
    discount_total: total("discount_total", "All discounts: those of the lines, and the one on the whole."),
    tax_total: total("tax_total", "The tax, on top or included."),
    total: total("total", "The amount to be paid."),
    taxes: computed(
      ["line_items", "discount", "discount_type"],
      z.array(
        z.object({ tax_percent: z.number(), tax_method: z.enum(["exclusive", "inclusive"]), base: z.int(), tax_total: z.int() }),
      ),
      (line_items, discount, discount_type) => taxesOf({ line_items, discount, discount_type }),
      "The tax of each rate, rounded once, on its lines after discounts (`base`). Their sum is `tax_total`.",
    ),
    total_by_period: computed(
      ["line_items", "discount", "discount_type"],
      z.object({ one_time: z.int(), monthly: z.int(), annual: z.int() }),
      (line_items, discount, discount_type) => totalByPeriod({ line_items, discount, discount_type }),
      "The parts of the total that are due once, each month and each year.",
    ),
    total_formatted: computed(["total", "currency"], z.string().nullable(), formatMoney, "Such as `$12,000.00`."),
    expires_at: date({
      doc: "The last day on which it can be accepted, in the organization's time zone; by default 30 days from now.",
    }),
    valid_until: otherName("expires_at", date()),
    header: text({ max: wordsMax, doc: "The text above the lines." }),
    description: text({ max: wordsMax, doc: "A description of the offer." }),
    footer: text({ max: wordsMax, doc: "The text below the lines." }),
    terms: text({ max: wordsMax, doc: "The terms of the offer." }),
    notes: text({ max: wordsMax, doc: "For your own people; the recipient does not see them." }),
    public_url: lookedUp(
      ["organization_id", "id", "public_token", "status"],
      z.string().nullable(),
      publicUrl,
      "The address of its page, where it is read and accepted or declined without a key. Null until it is open.",
    ),
    public_token: text({ readOnly: true, hidden: true, max: 1000 }),
    public_hash: text({ readOnly: true, hidden: true }),
    file_id: ref(
      "file",
      { onDelete: "clear", onMove: "clear", keeps: true },
      { readOnly: true, doc: "The PDF of the quote as it was sent; null until it is open." },
    ),
    signed_file_id: ref(
      "file",
      { onDelete: "clear", onMove: "clear", keeps: true },
      { readOnly: true, doc: "The PDF with the acceptance, which is made shortly after it; null before." },
    ),
    parties: json(parties, { readOnly: true, hidden: true }),
    logo_file_id: ref(
      "file",
      { onDelete: "clear", onMove: "clear" },
      {
        readOnly: true,
        doc: "The logo that it was sent with; null without one, when its file is deleted, and until it is open.",
      },
    ),
    date_sent: timestamp({ readOnly: true, doc: "When it became open." }),
    date_accepted: timestamp({ readOnly: true }),
    date_declined: timestamp({ readOnly: true }),
    date_canceled: timestamp({ readOnly: true }),
    accepted_by_name: text({ readOnly: true, doc: "The name that the accepting person wrote." }),
    accepted_by_email: text({ readOnly: true, doc: "The e-mail address that accepted it." }),
    version: computed(["revision"], z.int(), (revision: number) => revision, "1, or one more than the quote it was made from."),
    revision: integer({ readOnly: true, hidden: true, default: 1 }),
    from_quote_id: ref(
      "quote",
      { onDelete: "clear", onMove: "clear" },
      { createOnly: true, doc: "The quote that this one is a new version of. Fields that are not given are copied from it." },
    ),
    date_created: dateCreated,
    ...authorNames,
  },
});

function total(key: keyof LineTotals, doc: string) {
  return integer({
    filled: true,
    derive: (row: { line_items: readonly Line[] } & Discount) => quoteTotals(row)[key],
    doc,
  });
}

// --- lines ---

/** The same limits as for a deal's line. Values that are computed (totals, position) are accepted and ignored. */
function givenLines(): z.ZodType<QuoteLine[]> {
  const { product_id, name, description, quantity, unit_price, currency: money, ...rest } = lineItem.fields;
  const line = z.object({
    id: z.string().max(64).optional(),
    product_id: product_id.schema.nullish(),
    name: name.schema.optional(),
    description: description.schema.nullish(),
    quantity: quantity.schema.optional(),
    unit_price: unit_price.schema.optional(),
    currency: money.schema.optional(),
    discount: rest.discount.schema.optional(),
    discount_type: rest.discount_type.schema.optional(),
    tax_percent: rest.tax_percent.schema.optional(),
    tax_method: rest.tax_method.schema.optional(),
    billing_period: rest.billing_period.schema.optional(),
  });
  return z.array(line).max(linesMax) as unknown as z.ZodType<QuoteLine[]>;
}

function shownLines(): z.ZodType<QuoteLine[]> {
  const { fields } = lineItem;
  return z.array(
    z.object({
      id: z.string(),
      product_id: z.string().nullable(),
      name: z.string(),
      description: z.string().nullable(),
      quantity: z.number(),
      unit_price: z.int(),
      currency: z.string(),
      discount: z.number(),
      discount_type: fields.discount_type.schema as z.ZodType<QuoteLine["discount_type"]>,
      tax_percent: z.number(),
      tax_method: fields.tax_method.schema as z.ZodType<QuoteLine["tax_method"]>,
      billing_period: fields.billing_period.schema as z.ZodType<Period>,
      position: z.int(),
      subtotal: z.int(),
      discount_total: z.int(),
      tax_total: z.int(),
      total: z.int(),
    }),
  );
}

// --- date and status ---

/** Today in the organization's time zone. A quote is valid until the end of its last day. */
export const todayOf = (directory: Directory, now: Date): string => todayIn(now, organizationOf(directory).timezone);

/** The status of a quote at an instant. An open quote whose last day is over has expired, even before that is stored. */
export function stateNow(
  directory: Directory,
  status: QuoteState,
  expires_at: string | null,
  { now }: Pick<Moment, "now">,
): QuoteState {
  return status === "open" && expires_at !== null && expires_at < todayOf(directory, now) ? "expired" : status;
}

/** The place of the secret of a quote's page. */
export const tokenPlace = (organization_id: string, id: string) => ({
  table: "quote",
  column: "public_token",
  organization_id,
  id,
});

export function publicUrl(
  _directory: Directory,
  organizationId: string,
  id: string,
  token: string | null,
  status: QuoteState,
  { settings }: Pick<Moment, "settings">,
): string | null {
  if (token === null || status === "draft") return null;
  return `${settings.base_url}/q/${settings.secrets.open(token, tokenPlace(organizationId, id))}/`;
}

/** The same for a list. */
function statusFilter(): Filter {
  return {
    doc: "Only quotes in this state now, or in one of several separated by commas.",
    sql(ctx, value, alias) {
      const wanted = readValues(value);
      checkAmong(wanted, quoteStates);
      const t = name(alias);
      return sql`case when ${t}.status = 'open' and ${t}.expires_at < ${todayOf(ctx.directory, ctx.now)}::date then 'expired'
        else ${t}.status end = any(${wanted})`;
    },
  };
}
