// How to read the columns of an import: the target of each, and how its cells are written.
import type { Ctx } from "../../core/context.ts";
import { zoneOfMember } from "../../records/clock.ts";
import { customFieldsOf } from "../../records/custom_fields.ts";
import { currencyDigits, isCurrency } from "../../values/money.ts";
import { organizationOf } from "../organization/organization.ts";
import { dateFormatOf, decimalMarkOf, type Writing } from "./cell_values.ts";
import type { Import } from "./import_rows.ts";
import { entriesOf } from "./mapping.ts";
import { type Target, takesObjects, targetsOf } from "./targets.ts";
import { splits, transformOf, writesPlainly } from "./transforms.ts";

export const parts = ["lead", "contact", "opportunity", "activity", "product", "task"] as const;
export type Part = (typeof parts)[number];

/** What is written to one target: usually one column, or several that are joined. */
export interface Column extends Writing {
  /** How its cells are written; the steps of a mapping may write them anew. */
  given: Writing;
  /** The decimal mark of amounts in a currency. */
  markFor(currency: string): Writing["decimal"];
  cells: Cell[];
  join: string;
  /** The name of the first column. */
  name: string;
  part: Part;
  field: string;
  target: Target;
  /** That of its addresses or numbers. */
  pointType: string | null;
  /** A step, or JSON, has separated the values of one cell. */
  isSplit: boolean;
  /** Some of its cells are JSON. */
  isNested: boolean;
  /** Text of JSON, which is what it says: no mark before it is a guard, and no space at its end a slip. */
  isExact: boolean;
  /** Exports put a mark before text that a spreadsheet would run. */
  isGuarded: boolean;
  /** Probabilities in it are parts of one. */
  isShare: boolean;
  /** A step writes its numbers with a decimal point. */
  isPlain: boolean;
}

interface Cell {
  at: number;
  default: string | null;
  change(value: string | number, writing: Writing): (string | number)[];
}

/** The time zone of an import's times that say none. */
export const zoneOfImport = ({ directory, actor }: Ctx, { options }: Pick<Import, "options">): string =>
  options.timezone ?? zoneOfMember(directory, actor);

/** How to read the rows of an import. */
export function columnsOf(ctx: Ctx, imp: Import): Column[] {
  const { object_type, columns, mapping, options, dialect } = imp;
  const targets = new Map(targetsOf(ctx.directory, object_type).map((one) => [one.target, one]));
  const byName = new Map(columns.map((one) => [one.name, one]));
  const { country, currency } = organizationOf(ctx.directory);
  const written = currenciesWritten(columns);
  const zone = zoneOfImport(ctx, imp);
  const read: Column[] = [];
  for (const entry of entriesOf(mapping)) {
    const [target, column] = [targets.get(entry.target), byName.get(entry.column)];
    if (target === undefined || column === undefined) continue;
    const cell: Cell = { at: column.index, default: entry.default ?? null, change: transformOf(entry.transform) };
    const joined = entry.join === undefined ? undefined : read.find((one) => one.target === target);
    if (joined !== undefined) {
      joined.cells.push(cell);
      continue;
    }
    const part = (object_type === "task" && target.target.startsWith("task.") ? "task" : target.object_type) as Part;
    const markFor = cached((one: string) => options.decimal ?? decimalMarkOf(column.samples, mostDigits([one, ...written])));
    const given: Writing = {
      decimal: target.type === "money" ? markFor(currency) : (options.decimal ?? decimalMarkOf(column.samples, null)),
      date_format: options.date_format ?? dateFormatOf(column.samples, options.country),
      zone,
      country: options.country ?? country,
      currency,
      isMinor: column.unit === "minor",
      choices: customFieldsOf(ctx.directory, part).get(target.target.slice(target.target.indexOf("custom.")))?.choices ?? null,
    };
    read.push({
      cells: [cell],
      join: entry.join ?? "",
      name: column.name,
      part,
      field: target.target.startsWith(`${part}.`) ? target.target.slice(part.length + 1) : target.target,
      target,
      pointType: entry.type ?? null,
      isSplit: splits(entry.transform) || column.nested === true || holdsOne(column.name, byName),
      isNested: column.nested === true || takesObjects(target),
      given,
      markFor,
      ...given,
      isGuarded: dialect === null || dialect.format === "csv",
      isExact: target.type === "text" && (dialect?.format === "json" || dialect?.format === "jsonl"),
      isShare:
        column.samples.some((one) => /^0?[.,]\d+$/.test(one)) &&
        column.samples.every((one) => /^(?:[01]|[01]?[.,]\d+)$/.test(one)),
      isPlain: writesPlainly(entry.transform),
      ...(writesPlainly(entry.transform) && { decimal: ".", date_format: null, isMinor: false }),
    });
  }
  return read.toSorted((a, b) => a.cells[0]!.at - b.cells[0]!.at);
}

/** Exports of this service give the first values columns of their own, and put the others together. */
function holdsOne(name: string, byName: ReadonlyMap<string, unknown>): boolean {
  const [, kind] = /^(email|phone|url)_[1-9]$/.exec(name) ?? [];
  return kind !== undefined && byName.has(`more_${kind}s`);
}

const currenciesWritten = (columns: Import["columns"]): string[] =>
  columns.flatMap(({ samples }) => samples.filter((one) => isCurrency(one.toUpperCase())).map((one) => one.toUpperCase()));

const mostDigits = (currencies: readonly string[]): number => Math.max(...currencies.map(currencyDigits));

function cached<T>(make: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => known.get(key) ?? known.set(key, make(key)).get(key)!;
}
