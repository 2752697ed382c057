// Reads a row of an import: its cells become the bodies of records, as requests would send them.
import type { Ctx } from "../../core/context.ts";
import { bad, reasonsOf } from "../../core/errors.ts";
import type { Resource } from "../../core/resource.ts";
import { customFieldsOf } from "../../records/custom_fields.ts";
import { readCreate } from "../../records/input.ts";
import { currencyDigits, isCurrency } from "../../values/money.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { leadStatus } from "../leads/lead_status.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { opportunityStatus } from "../opportunities/opportunity_status.ts";
import { product } from "../opportunities/product.ts";
import { organizationOf } from "../organization/organization.ts";
import { type Refusal, refusalOf } from "../shared/refused_words.ts";
import type { Body } from "./bodies.ts";
import { dateFormatOf, decimalMarkOf, valueOf, type Writing } from "./cell_values.ts";
import { checkDates, putClosing } from "./closing.ts";
import type { Import, ImportRow, RowError } from "./import_rows.ts";
import { entriesOf } from "./mapping.ts";
import { membersIn, objectIn, peopleIn } from "./nested.ts";
import { moneyFields, type PartWithCurrency, partsWithCurrency, saidIn } from "./row_currency.ts";
import { type Target, takesList, takesObjects, targetsOf } from "./targets.ts";
import { splits, transformOf, writesPlainly } from "./transforms.ts";

export const parts = ["lead", "contact", "opportunity", "activity", "product", "task"] as const;
export type Part = (typeof parts)[number];

/** What a row says. */
export interface ReadRow {
  row: ImportRow;
  bodies: Record<Part, Body>;
  /** The people: the one of its cells, and those of a cell of JSON. */
  people: Body[];
  /** The column of each value, by its part and place: `contact.emails.0`. */
  columns: ReadonlyMap<string, string>;
  errors: RowError[];
}

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
  /** A step, or JSON, has separated the values of one cell. */
  isSplit: boolean;
  /** Some of its cells are JSON. */
  isNested: boolean;
  /** Text of JSON, which is what it says: no mark before it is a guard, and no space at its end a slip. */
  isExact: boolean;
  /** Probabilities in it are parts of one. */
  isShare: boolean;
  /** A step writes its numbers with a decimal point. */
  isPlain: boolean;
}

interface Cell {
  at: number;
  default: string | null;
  change(text: string, writing: Writing): string[];
}

/** How to read the rows of an import. */
export function columnsOf(ctx: Ctx, { object_type, columns, mapping, options, dialect }: Import): Column[] {
  const targets = new Map(targetsOf(ctx.directory, object_type).map((one) => [one.target, one]));
  const byName = new Map(columns.map((one) => [one.name, one]));
  const { country, currency } = organizationOf(ctx.directory);
  const written = currenciesWritten(columns);
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
      isSplit: splits(entry.transform) || column.nested === true,
      isNested: column.nested === true || takesObjects(target),
      given,
      markFor,
      ...given,
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

const currenciesWritten = (columns: Import["columns"]): string[] =>
  columns.flatMap(({ samples }) => samples.filter((one) => isCurrency(one.toUpperCase())).map((one) => one.toUpperCase()));

const mostDigits = (currencies: readonly string[]): number => Math.max(...currencies.map(currencyDigits));

function cached<T>(make: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => known.get(key) ?? known.set(key, make(key)).get(key)!;
}

/** Where a row is, and what is known about it. */
export interface About {
  /** How many columns the table has. */
  width: number;
  /** The currency of the record that the row names; null where it names none. */
  known: string | null;
  /** The currency of amounts that say none. */
  asked: string | null;
}

/** Reads a row of a table. A cell that does not fit is an error of its column, and the other cells are read too. */
export function readRow(ctx: Ctx, columns: readonly Column[], row: ImportRow, { width, known, asked }: About): ReadRow {
  const bodies = Object.fromEntries(parts.map((part) => [part, {}])) as Record<Part, Body>;
  const read = { row, bodies, people: [] as Body[], columns: new Map<string, string>(), errors: [] as RowError[] };
  const isBlank = row.cells.length <= width && columns.every(({ cells }) => cells.every(({ at }) => textAt(row, at) === ""));
  if (isBlank) return read;
  const surplus = row.cells.slice(width);
  if (surplus.length > 0) read.errors.push({ error: surplusError(width, surplus) });
  const otherwise = organizationOf(ctx.directory).currency;
  const said = currenciesSaid(columns, row, asked, known ?? otherwise);
  for (const given of columns) {
    const currency = given.part === "lead" ? otherwise : (said.get(given.part) ?? known ?? otherwise);
    const column = given.target.type === "money" ? inCurrency(given, currency) : given;
    const raw = column.cells.map(({ at }) => (column.isExact ? (row.cells[at] ?? "") : textAt(row, at)));
    try {
      const texts = textsOf(column, raw);
      if (texts.length > 0) put(ctx, read, column, texts);
    } catch (problem) {
      const { words } = refusalIn(problem);
      read.errors.push({
        column: column.name,
        error: `${JSON.stringify(raw.join(column.join).slice(0, 60).toWellFormed())} ${words}`,
      });
    }
  }
  putClosing(ctx, bodies.opportunity, read.columns);
  for (const part of partsWithCurrency) putCurrency(bodies[part], part, said.get(part));
  read.people = peopleIn(bodies);
  for (const of of checked) check(ctx, read, of);
  return read;
}

/** The text of a cell for a target, as far as it can be read. */
export function textOf(columns: readonly Column[], row: ImportRow, target: string): string | undefined {
  const column = columns.find((one) => one.target.target === target);
  if (column === undefined) return undefined;
  try {
    return textsOf(
      column,
      column.cells.map(({ at }) => textAt(row, at)),
    )[0];
  } catch (problem) {
    refusalIn(problem);
    return undefined;
  }
}

/** What a row says about the currencies of its amounts, for each kind of record. */
function currenciesSaid(columns: readonly Column[], row: ImportRow, asked: string | null, otherwise: string): Map<Part, string> {
  const found = new Map<Part, string>();
  for (const part of partsWithCurrency) {
    const money = columns.filter((one) => one.part === part && one.target.type === "money");
    const amounts = money.map(({ cells, join }) => cells.map(({ at }) => textAt(row, at)).join(join));
    const said = saidIn({ column: textOf(columns, row, `${part}.currency`), amounts }, asked, otherwise);
    if (said !== null) found.set(part, said);
  }
  return found;
}

/** The same for amounts in this currency. */
function inCurrency(column: Column, currency: string): Column {
  const decimal = column.markFor(currency);
  const given = { ...column.given, currency, decimal };
  return { ...column, currency, given, decimal: column.isPlain ? column.decimal : decimal };
}

/** A currency alone makes no record, and neither does a date of creation. */
function putCurrency(body: Body, part: PartWithCurrency, said: string | undefined): void {
  const { amounts, currency } = moneyFields[part];
  if (said !== undefined && amounts.some((one) => body[one] !== undefined)) body[currency] ??= said;
  const isNothing = Object.keys(body).every((key) => key === currency || key === "date_created");
  if (isNothing) for (const key of Object.keys(body)) delete body[key];
}

const surplusError = (width: number, surplus: readonly (string | null)[]): string =>
  `has ${width + surplus.length} cells, but there are ${width} columns; left over is ${JSON.stringify(surplus.join(" | ").slice(0, 100).toWellFormed())}: are quotes missing around a cell?`;

const textAt = ({ cells }: ImportRow, at: number): string => cells[at]?.trim().replace(guard, "") ?? "";

/** The texts for a target: none, one, or several of a list. */
function textsOf({ cells, join, given, isNested, isExact }: Column, raw: readonly string[]): string[] {
  const all = cells.map((cell, i) => {
    const text = raw[i]!;
    if (!isExact && spreadsheetError.test(text)) bad("is an error of the spreadsheet");
    const texts = text === "" ? [] : isNested ? membersIn(text, (one) => cell.change(one, given)) : cell.change(text, given);
    return texts.some((one) => one !== "") || cell.default === null ? texts.filter((one) => one !== "") : [cell.default];
  });
  const texts = all.flat();
  return cells.length > 1 && texts.length > 0 ? [texts.join(join)] : texts;
}

const spreadsheetError = /^#(?:REF!|N\/A|VALUE!|DIV\/0!|NAME\?|NULL!|NUM!|SPILL!|CALC!)$/;

/** The mark that exports put before text which a spreadsheet would run. */
const guard = /^'(?='*[=+\-@\t\r])/;

const checked: readonly Resource[] = [lead, contact, opportunity, product];

/** Tells what a record would be refused for. */
function check(ctx: Ctx, read: ReadRow, of: Resource): void {
  const part = of.name as Part;
  for (const body of of === contact ? read.people : [read.bodies[part]]) {
    if (Object.keys(body).length === 0) continue;
    const { id: _, ...given } = body;
    try {
      readCreate(ctx, of, { params: {}, query: {}, body: given, strict: false });
      if (of !== product) checkDates(ctx, body);
    } catch (problem) {
      read.errors.push(...errorsOf(read, part, problem));
    }
  }
}

/** What a part of a row is refused for, with the columns that it came from. What is no refusal is thrown again. */
export function errorsOf({ columns }: ReadRow, part: Part, problem: unknown): RowError[] {
  const { status, words } = refusalIn(problem);
  if (status !== 400) return [{ error: words }];
  return Object.entries(reasonsOf(problem)).map(([place, reason]) => {
    const path = place.split(".");
    const nested = part === "contact" ? columns.get("contact.contacts") : undefined;
    const names = path.map((_, i) => `${part}.${path.slice(0, path.length - i).join(".")}`);
    const column = names.map((name) => columns.get(name)).find((name) => name !== undefined);
    if (column !== undefined) return { column, error: reason };
    return { ...(nested !== undefined && { column: nested }), error: `${place} ${reason}`.trim() };
  });
}

function refusalIn(problem: unknown): Refusal {
  const refusal = refusalOf(problem);
  if (refusal === null) throw problem;
  return refusal;
}

// --- cells into bodies ---

/** Puts a text into a body, and returns its place. */
type Put = (body: Body, text: string, column: Column, ctx: Ctx) => string;

const listed =
  (field: string, member: string): Put =>
  (body, text, column, ctx) => {
    const list: object[] = (body[field] ??= []);
    const first = list.length;
    for (const one of column.isSplit ? [text] : pieces(text, field === "phones" ? /[;\n|]/ : /[;,\n|]/))
      list.push(objectIn(one, column) ?? { [member]: valueOf(column.target.type, one, column, ctx) });
    return list.length - first === 1 ? `${field}.${first}` : field;
  };

const objects: Put = (body, text, column) => {
  const one = objectIn(text, column) ?? bad("must be a list of objects, as JSON has them");
  (body[column.field] ??= []).push(one);
  return column.field;
};

const addressLine: Put = (body, text, { field }) => {
  (body.addresses ??= [{}])[0][field] = text;
  return `addresses.0.${field}`;
};

const statusBy =
  (of: typeof leadStatus | typeof opportunityStatus): Put =>
  (body, text, _, ctx) => {
    const all: readonly { id: string; label: string }[] = ctx.directory.list(of);
    const found = all.find(({ id, label }) => id === text || label.toLowerCase() === text.toLowerCase());
    body.status_id = found?.id ?? bad(`is not a status: there are ${all.map(({ label }) => label).join(", ")}`);
    return "status_id";
  };

const lowered: Put = (body, text, { field }) => {
  body[field] = text.toLowerCase();
  return field;
};

/** Targets that are not simply a field of their record. */
const puts: Readonly<Record<string, Put>> = {
  email: listed("emails", "email"),
  phone: listed("phones", "phone"),
  "contact.email": listed("emails", "email"),
  "contact.phone": listed("phones", "phone"),
  "contact.url": listed("urls", "url"),
  addresses: objects,
  "contact.contacts": objects,
  ...Object.fromEntries(["address_1", "address_2", "city", "state", "zipcode", "country"].map((one) => [one, addressLine])),
  status: statusBy(leadStatus),
  owner: (body, text, column, ctx) => {
    body.owner_id = valueOf("user", text, column, ctx);
    return "owner_id";
  },
  "opportunity.status": statusBy(opportunityStatus),
  "opportunity.confidence": (body, text, column, ctx) => {
    const share = column.isShare ? Number(valueOf("number", text, column, ctx)) : null;
    body.confidence = share === null ? valueOf("integer", text, column, ctx) : Math.round(share * 100);
    return "confidence";
  },
  "opportunity.value_period": (body, text, column) => {
    body.value_period = periods.get(text.toLowerCase().replaceAll(/[^a-z]/g, "")) ?? bad("must be one_time, monthly or annual");
    return column.field;
  },
  "opportunity.currency": (body, text) => {
    body.value_currency = text.toUpperCase();
    return "value_currency";
  },
  "product.currency": (body, text) => {
    body.currency = text.toUpperCase();
    return "currency";
  },
  "task.priority": lowered,
};

const periods: ReadonlyMap<string, string> = new Map([
  ...["onetime", "once"].map((word) => [word, "one_time"] as const),
  ...["monthly", "month", "permonth"].map((word) => [word, "monthly"] as const),
  ...["annual", "annually", "yearly", "year", "peryear"].map((word) => [word, "annual"] as const),
]);

function put(ctx: Ctx, read: ReadRow, column: Column, texts: readonly string[]): void {
  const { part, field, target } = column;
  const own = Object.hasOwn(puts, target.target) ? puts[target.target] : undefined;
  for (const text of texts) {
    const place = (own ?? plain)(read.bodies[part], text, column, ctx);
    (read.columns as Map<string, string>).set(`${part}.${place}`, column.name);
  }
  if (field === "first_name" || field === "last_name") (read.columns as Map<string, string>).set(`${part}.name`, column.name);
}

function plain(body: Body, text: string, column: Column, ctx: Ctx): string {
  const { field, target } = column;
  if (takesList(target)) {
    const values = column.isSplit ? [text] : pieces(text, /[;,\n|]/);
    body[field] = [...(body[field] ?? []), ...values.map((one) => valueOf(target.type, one, column, ctx))];
  } else if (target.multiple && body[field] !== undefined) body[field] = `${body[field]}\n\n${text}`;
  else body[field] = valueOf(target.type, text, column, ctx);
  return field;
}

/** The values of a list. One in quotes, as exports write it, may contain what else is between values. */
const pieces = (text: string, between: RegExp): string[] =>
  text
    .split(new RegExp(`(?<=^|${between.source})(\\s*"(?:[^"]|"")*"\\s*)(?=$|${between.source})|${between.source}`))
    .map((one) => (one ?? "").trim().replace(/^"(.*)"$/s, (_, inner: string) => inner.replaceAll('""', '"')))
    .filter((one) => one !== "");
