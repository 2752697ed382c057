// Reads a row of an import: its cells become the bodies of records, as requests would send them.
import type { Ctx } from "../../core/context.ts";
import { bad } from "../../core/errors.ts";
import type { Resource } from "../../core/resource.ts";
import { readCreate } from "../../records/input.ts";
import { withoutGuard } from "../../values/formula_guard.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { product } from "../opportunities/product.ts";
import { organizationOf } from "../organization/organization.ts";
import { type Refusal, refusalOf } from "../shared/refused_words.ts";
import type { Body } from "./bodies.ts";
import { checkDates, dropLaterCreation, putClosing } from "./closing.ts";
import { type Column, type Part, parts } from "./columns.ts";
import type { ImportRow, RowError, Taken } from "./import_rows.ts";
import { membersIn, peopleIn } from "./nested.ts";
import type { Within } from "./pipelines.ts";
import { type Filled, put } from "./put_cell.ts";
import { moneyFields, type PartWithCurrency, partsWithCurrency, saidIn } from "./row_currency.ts";
import { partsWithStatus, putStatus } from "./statuses.ts";

/** What a row says. */
export interface ReadRow extends Filled {
  row: ImportRow;
  /** The people: the one of its cells, and those of a cell of JSON. */
  people: Body[];
  errors: RowError[];
  /** What it has in common with other rows of its lead, where the import says so. */
  group: Grouped | null;
  /** The values of status columns that were taken by their kind. */
  taken: Taken[];
  /** The records whose status was only taken by its kind. */
  byKind: Set<Part>;
  /** The pipeline that the row says. */
  within: Within | null;
}

export interface Grouped {
  value: string;
  /** It is the domain of an address, which names a lead without a name. */
  isDomain: boolean;
}

/** Where a row is, and what is known about it. */
export interface About {
  /** How many columns the table has. */
  width: number;
  /** It is an export of deals of this service. */
  isOwn: boolean;
  /** The currency of the record that the row names; null where it names none. */
  known: string | null;
  /** The currency of amounts that say none. */
  asked: string | null;
  /** The time zone of times that say none. */
  zone: string;
}

/** Reads a row of a table. A cell that does not fit is an error of its column, and the other cells are read too. */
export function readRow(
  ctx: Ctx,
  columns: readonly Column[],
  row: ImportRow,
  { width, isOwn, known, asked, zone }: About,
): ReadRow {
  const bodies = Object.fromEntries(parts.map((part) => [part, {}])) as Record<Part, Body>;
  const read: ReadRow = { row, bodies, people: [], columns: new Map(), errors: [], ...unsaid, taken: [], byKind: new Set() };
  const isBlank = row.cells.length <= width && columns.every(({ cells }) => cells.every(({ at }) => cellAt(row, at) === ""));
  if (isBlank) return read;
  const surplus = row.cells.slice(width);
  if (surplus.length > 0) read.errors.push({ error: surplusError(width, surplus) });
  const otherwise = organizationOf(ctx.directory).currency;
  const said = currenciesSaid(columns, row, asked, known ?? otherwise);
  for (const given of columns) {
    const currency = given.part === "lead" ? otherwise : (said.get(given.part) ?? known ?? otherwise);
    const column = given.target.type === "money" ? inCurrency(given, currency) : given;
    const raw = column.cells.map(({ at }) => (column.isExact ? (row.cells[at] ?? "") : valueAt(column, row, at)));
    try {
      const values = valuesOf(column, raw);
      if (values.length > 0) put(ctx, read, column, values);
    } catch (problem) {
      const { words } = refusalIn(problem);
      read.errors.push({
        column: column.name,
        error: `${JSON.stringify(raw.join(column.join).slice(0, 60).toWellFormed())} ${words}`,
      });
    }
  }
  for (const part of partsWithStatus) {
    const { taken, isByKind, within, errors } = putStatus(ctx, bodies[part], part);
    read.taken.push(...taken);
    read.within ??= within;
    if (isByKind) read.byKind.add(part);
    if (errors.length > 0) read.errors = inOrder(columns, [...read.errors, ...errors]);
  }
  putClosing(ctx, bodies.opportunity, read.columns, zone);
  if (isOwn) dropLaterCreation(bodies.opportunity);
  for (const part of partsWithCurrency) putCurrency(bodies[part], part, said.get(part));
  read.people = peopleIn(bodies);
  for (const of of checked) check(ctx, read, of);
  return read;
}

const unsaid = { group: null, within: null };

/** Errors as their columns follow each other. */
function inOrder(columns: readonly Column[], errors: readonly RowError[]): RowError[] {
  const place = ({ column }: RowError) => columns.findIndex(({ name }) => name === column);
  return errors.toSorted((a, b) => place(a) - place(b));
}

/** The text of a cell for a target, as far as it can be read. */
export function textOf(columns: readonly Column[], row: ImportRow, target: string): string | undefined {
  const column = columns.find((one) => one.target.target === target);
  if (column === undefined) return undefined;
  try {
    const [text] = valuesOf(
      column,
      column.cells.map(({ at }) => valueAt(column, row, at)),
    );
    return text === undefined ? undefined : String(text);
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
    const amounts = money.map((one) => one.cells.map(({ at }) => valueAt(one, row, at)).join(one.join));
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

const surplusError = (width: number, surplus: ImportRow["cells"]): string =>
  `has ${width + surplus.length} cells, but there are ${width} columns; left over is ${JSON.stringify(surplus.join(" | ").slice(0, 100).toWellFormed())}: are quotes missing around a cell?`;

function cellAt({ cells }: ImportRow, at: number): string | number {
  const cell = cells[at] ?? "";
  return typeof cell === "number" ? cell : cell.trim();
}

function valueAt({ isGuarded }: Column, row: ImportRow, at: number): string | number {
  const cell = cellAt(row, at);
  return isGuarded && typeof cell === "string" ? withoutGuard(cell) : cell;
}

/** The values for a target: none, one, or several of a list. */
function valuesOf({ cells, join, given, isNested, isExact }: Column, raw: readonly (string | number)[]): (string | number)[] {
  const all = cells.map((cell, i) => {
    const value = raw[i]!;
    if (!isExact && spreadsheetError.test(String(value))) bad("is an error of the spreadsheet");
    const values = value === "" ? [] : isNested ? membersIn(value, (one) => cell.change(one, given)) : cell.change(value, given);
    return values.some((one) => one !== "") || cell.default === null ? values.filter((one) => one !== "") : [cell.default];
  });
  const values = all.flat();
  return cells.length > 1 && values.length > 0 ? [values.join(join)] : values;
}

const spreadsheetError = /^#(?:REF!|N\/A|VALUE!|DIV\/0!|NAME\?|NULL!|NUM!|SPILL!|CALC!)$/;

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
  const { words, reasons } = refusalIn(problem);
  if (Object.keys(reasons).length === 0) return [{ error: words }];
  return Object.entries(reasons).map(([place, reason]) => {
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
