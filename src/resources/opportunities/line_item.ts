// One line of a deal: a product, or something without a product.
import { choice, integer, number, ref, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { visibleAsLead } from "../leads/visibility.ts";
import { currency, moneyMax, periods } from "../shared/money.ts";
import { positionMax } from "../shared/positions.ts";
import { type LineTotals, lineTotals } from "./line_totals.ts";

const total = (key: keyof LineTotals, doc: string) => integer({ filled: true, derive: (row) => lineTotals(row)[key], doc });

/** The defaults of a line when neither the caller nor the product has a value. */
export const usualLine = {
  quantity: 1,
  discount: 0,
  discount_type: "percentage",
  tax_percent: 0,
  tax_method: "exclusive",
  billing_period: "one_time",
} as const;

export const lineItem = resource({
  name: "line_item",
  prefix: "item",
  path: "/opportunity/{opportunity_id}/line_item",
  parent: "opportunity_id",
  doc: "A line of an opportunity. The opportunity's value is the sum of its lines, less discounts and before tax that is added to the price.",
  visible: visibleAsLead,
  order: "position",
  sort: { position: true },
  fields: {
    opportunity_id: ref("opportunity", { onDelete: "cascade", onMove: "follow" }, { required: true, createOnly: true }),
    lead_id: ref("lead", { onDelete: "keep", onMove: "keep" }, { filled: true, readOnly: true, doc: "The opportunity's lead." }),
    product_id: ref(
      "product",
      { onDelete: "clear", onMove: "match" },
      { doc: "An active product, whose name, price, tax and billing are copied." },
    ),
    name: text({ filled: true, doc: "By default the product's; required without one." }),
    description: text({ max: 100_000, doc: "By default the product's." }),
    quantity: number({ min: 0, max: 1e9, default: usualLine.quantity, doc: "More than 0." }),
    unit_price: integer({
      min: 0,
      max: moneyMax,
      filled: true,
      doc: "In minor units. By default the product's; required without one.",
    }),
    currency: currency({ filled: true, doc: "The opportunity's; another is refused." }),
    discount: number({ min: 0, max: moneyMax, default: usualLine.discount, doc: "Percent or minor units, see `discount_type`." }),
    discount_type: choice(["percentage", "amount"], { default: usualLine.discount_type }),
    tax_percent: number({ min: 0, max: 100, default: usualLine.tax_percent, doc: "By default the product's." }),
    tax_method: choice(["exclusive", "inclusive", "none"], {
      default: usualLine.tax_method,
      doc: "Whether tax is added to the price, is included in it, or is not due.",
    }),
    billing_period: choice(periods, { default: usualLine.billing_period, doc: "By default the product's." }),
    position: integer({
      min: 0,
      max: positionMax,
      filled: true,
      doc: "Its place in the order; by default the end. The one at that place moves back.",
    }),
    subtotal: total("subtotal", "Quantity times price."),
    discount_total: total("discount_total", "The amount of the discount."),
    tax_total: total("tax_total", "The tax, on top or included."),
    total: total("total", "The amount to be paid."),
  },
});
