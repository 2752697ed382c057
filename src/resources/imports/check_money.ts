// Refuses a mapping of amounts without their currency.
import type { Directory } from "../../core/directory.ts";
import { invalid } from "../../core/errors.ts";
import { isCurrency } from "../../values/money.ts";
import { organizationOf } from "../organization/organization.ts";
import type { Entry } from "./mapping.ts";
import type { Options } from "./options.ts";
import type { Target } from "./targets.ts";

interface Column {
  name: string;
  samples: readonly string[];
}

/** A column of currencies must be mapped with its amounts, unless an option says the currency of all of them. */
export function checkMoney(
  directory: Directory,
  columns: readonly Column[],
  used: ReadonlyMap<string, Entry>,
  targets: ReadonlyMap<string, Target>,
  { currency: asked }: Options,
): void {
  const own = organizationOf(directory).currency;
  const isOfLeads = used.has("mrr");
  if (isOfLeads && asked && asked !== own)
    throw invalid({ "options.currency": `is ${asked}, but mrr is in the currency of the organization, ${own}: leave one out` });

  const mapped = new Set([...used.values()].map(({ column }) => column));
  const left = columns.find((one) => !mapped.has(one.name) && hasCurrencies(one));
  if (left === undefined || asked) return;
  const amounts = [...used.keys()].map((one) => targets.get(one)!).filter(({ type }) => type === "money");
  for (const { target, object_type } of amounts) {
    const place = `${object_type}.currency`;
    if (used.has(place) || (object_type === "lead" && left.samples.every((one) => one.toUpperCase() === own))) continue;
    const instead = object_type === "lead" ? `mrr is always in ${own}: leave mrr out` : `give the column to ${place}`;
    throw invalid({
      mapping: `has amounts for ${target} without the currency in ${JSON.stringify(left.name.slice(0, 100))}: ${instead}, or say in options.currency which one all amounts have`,
    });
  }
}

/** By its name and its values. */
const hasCurrencies = ({ name, samples }: Column): boolean =>
  /currency|währung|waehrung|devise|moneda|moeda|valuta/i.test(name) && samples.some((one) => isCurrency(one.toUpperCase()));
