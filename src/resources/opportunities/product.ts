// A product: something that can be sold, with its price.
import { boolean, choice, formed, integer, number, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { type Part, searched } from "../../search/searched.ts";
import { parseUrl } from "../../values/url.ts";
import { currency, currencyOfOrganization, moneyMax, periods } from "../shared/money.ts";
import { authorNames } from "../shared/names.ts";
import { otherName } from "../shared/other_names.ts";

const webAddress = (raw: string) => parseUrl(raw, { prefix: true });

export const product = resource({
  name: "product",
  prefix: "prod",
  doc: "Something you sell. Adding it to an opportunity copies its name, price and tax, so later changes do not affect old deals.",
  custom: "product",
  order: "name",
  sort: { name: true, unit_price: true },
  elsewhere: { by: "name", which: (alike) => alike.find((one) => one.is_active) ?? alike[0] },
  search: searched({ words: searchWords, covers: ["name", "code", "description", "category"] }),
  fields: {
    name: text({ required: true }),
    code: text({ doc: "Your own number for it (SKU), unique, ignoring case." }),
    sku: otherName("code", text()),
    description: text({ max: 100_000 }),
    category: text(),
    unit: text({ doc: "The unit: hour, seat, piece." }),
    image_url: formed(webAddress, "is not a web address", { doc: "The address of its picture." }),
    unit_price: integer({ min: 0, max: moneyMax, default: 0, doc: "In minor units." }),
    price: otherName("unit_price", integer({ min: 0, max: moneyMax, filled: true })),
    cost: integer({ min: 0, max: moneyMax, doc: "Your own cost, in minor units." }),
    currency: currency({ default: currencyOfOrganization, doc: "By default the organization's." }),
    billing_period: choice(periods, { default: "one_time", doc: "How often the price is due." }),
    tax_percent: number({ min: 0, max: 100, default: 0 }),
    is_active: boolean({ default: true, doc: "An inactive product cannot be added to opportunities." }),
    ...authorNames,
  },
});

function searchWords(row: { name: string; code: string | null; description: string | null; category: string | null }): Part[] {
  return [{ text: row.name }, { text: row.code }, { text: row.category }, { text: row.description }];
}
