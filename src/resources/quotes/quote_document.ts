// The content of a quote as its recipient reads it. The page and the PDF show the same.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { isolated } from "../../values/bidi.ts";
import { formatMoney } from "../../values/money.ts";
import { oneLine } from "../../values/one_line.ts";
import { todayIn } from "../../values/time.ts";
import { worth } from "../opportunities/line_totals.ts";
import { logoFile } from "../organization/branding.ts";
import type { LogoFile } from "../organization/logo.ts";
import { type Period, periods } from "../shared/money.ts";
import { partiesOf } from "./fix_parties.ts";
import type { Parties } from "./parties.ts";
import type { QuoteLine, quote } from "./quote.ts";
import { discountable, type Tax, taxesOf, totalByPeriod } from "./quote_totals.ts";

type Quote = Row<typeof quote>;
type Sum = [label: string, amount: string];

/** The word that says what it is. */
export const heading = "Quote";

export interface QuoteDocument {
  number: string;
  title: string;
  /** The title, unless it says no more than the heading and the number. */
  subject: string | null;
  /** The organization that makes the offer. */
  seller: Parties["seller"] & { logo: LogoFile | null };
  /** The recipient: a company, and a person there. */
  to: string[];
  /** When it was sent and how long it is valid, each with its label. */
  dates: [string, string][];
  header: string | null;
  description: string | null;
  /** The columns of the lines. Nobody reads one for discounts where there are none. */
  columns: Shown[];
  lines: DocumentLine[];
  /** The steps to the total. The last one is the amount to be paid. */
  sums: Sum[];
  /** What is due once, each month and each year, when something recurs. */
  due: string | null;
  footer: string | null;
  terms: string | null;
  /** `Accepted by Ann on January 2, 2026`, once it was answered. */
  answer: string | null;
}

export interface DocumentLine {
  name: string;
  description: string | null;
  quantity: string;
  price: string;
  discount: string;
  tax: string;
  amount: string;
}

export interface Shown {
  key: Exclude<keyof DocumentLine, "description">;
  title: string;
}

const columns: readonly Shown[] = [
  { key: "name", title: "Item" },
  { key: "quantity", title: "Quantity" },
  { key: "price", title: "Price" },
  { key: "discount", title: "Discount" },
  { key: "tax", title: "Tax" },
  { key: "amount", title: "Amount" },
];

export async function documentOf(ctx: Ctx, of: Quote): Promise<QuoteDocument> {
  const { parties, logo_file_id } = await partiesOf(ctx, of);
  const { seller, to, timezone } = parties;
  const usual = `Quote ${of.number}`;
  const lines = of.line_items.map((line) => lineInWords(line, of.currency));
  const day = (instant: string) => dayInWords(todayIn(new Date(instant), timezone));
  return {
    number: of.number,
    title: of.title ?? usual,
    subject: of.title === usual ? null : of.title,
    seller: { ...seller, logo: await logoFile(ctx, logo_file_id) },
    to,
    dates: [
      ...(of.date_sent === null ? [] : [["Date", day(of.date_sent)] as [string, string]]),
      ...(of.expires_at === null ? [] : [["Valid until", dayInWords(of.expires_at)] as [string, string]]),
    ],
    header: of.header,
    description: of.description,
    columns: columns.filter(({ key }) => (key !== "discount" && key !== "tax") || lines.some((line) => line[key] !== "")),
    lines,
    sums: sumsOf(of),
    due: dueOf(of),
    footer: of.footer,
    terms: of.terms,
    answer: answerOf(of, day),
  };
}

/** As people write numbers: no `1e-9`, and no `0.30000000000000004` for the sum of 0.1 and 0.2. */
const inFigures = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 15, useGrouping: false });

/** Spaces that nobody breaks a line at are in them. */
const every: Record<Period, string> = { one_time: "", monthly: " a\u00a0month", annual: " a\u00a0year" };

function lineInWords(line: QuoteLine, currency: string): DocumentLine {
  const rate = inFigures.format(line.tax_percent);
  const taxes = { exclusive: `${rate}%`, inclusive: `${rate}% included`, none: "" };
  return {
    name: line.name,
    description: line.description,
    quantity: inFigures.format(line.quantity),
    price: `${formatMoney(line.unit_price, currency)}${every[line.billing_period]}`,
    discount: line.discount_total === 0 ? "" : `-${formatMoney(line.discount_total, currency)}`,
    tax: line.tax_percent === 0 ? "" : taxes[line.tax_method],
    amount: formatMoney(worth(line), currency)!,
  };
}

/**
 * The steps from the lines before all discounts to the total, which add up. The amounts of the lines already include their own
 * discounts, so these are a step of their own.
 */
function sumsOf(of: Quote): Sum[] {
  const money = (amount: number) => formatMoney(amount, of.currency)!;
  const amounts = discountable(of.line_items);
  const taxes = taxesOf(of).filter(({ base }) => base !== 0);
  const onTop = (tax: Tax) => tax.tax_method === "exclusive";
  const ofLines = of.subtotal - amounts;
  const discount = of.discount_total - ofLines;
  return [
    ["Subtotal", money(of.subtotal)],
    ...(ofLines === 0 ? [] : [["Discounts on items", `-${money(ofLines)}`] as Sum]),
    ...(discount === 0 ? [] : [[discountLabel(of), `-${money(discount)}`] as Sum]),
    ...taxes.filter(onTop).map((tax): Sum => [`Tax ${inFigures.format(tax.tax_percent)}%`, money(tax.tax_total)]),
    ...taxes
      .filter((tax) => !onTop(tax))
      .map((tax): Sum => [`Tax ${inFigures.format(tax.tax_percent)}% (included)`, money(tax.tax_total)]),
    ["Total", money(of.total)],
  ];
}

const discountLabel = ({ discount, discount_type }: Quote): string =>
  discount_type === "percentage" ? `Discount ${inFigures.format(discount)}%` : "Discount";

/** `Due: $1,000.00 once, $30.00 a month`, when something recurs. */
function dueOf(of: Quote): string | null {
  const sums = totalByPeriod(of);
  const parts = periods
    .filter((period) => sums[period] > 0)
    .map((period) => `${formatMoney(sums[period], of.currency)}${every[period] || " once"}`);
  return sums.monthly === 0 && sums.annual === 0 ? null : `Due: ${parts.join(", ")}`;
}

function answerOf(of: Quote, day: (instant: string) => string): string | null {
  if (of.date_accepted !== null)
    return `Accepted${of.accepted_by_name === null ? "" : ` by ${isolated(oneLine(of.accepted_by_name))}`} on ${day(of.date_accepted)}`;
  return of.date_declined === null ? null : `Declined on ${day(of.date_declined)}`;
}

const inWords = new Intl.DateTimeFormat("en-US", { timeZone: "UTC", dateStyle: "long" });

const dayInWords = (day: string): string => inWords.format(new Date(`${day}T00:00:00Z`));
