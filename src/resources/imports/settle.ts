// What a row says, on top of what the record that exists has.
import type { Ctx } from "../../core/context.ts";
import { parseLocalTime, timeIn } from "../../values/time.ts";
import type { Body } from "./bodies.ts";
import { distinct, keyOf, pointOf } from "./bodies.ts";
import { writesLocalTimes } from "./cell_values.ts";
import { zoneOfImport } from "./columns.ts";
import type { Import } from "./import_rows.ts";
import { type Conflict, entriesOf } from "./mapping.ts";

/** How a row and the record that exists become one. */
export interface Conflicts {
  /** What a mapping says about the fields of a kind of record: `emails`, `addresses.city`. */
  by: ReadonlyMap<string, Conflict>;
  /** Cells say everything, as in JSON: white space at the ends of a text, and parts of a second. */
  isExact: boolean;
  /** The time zone of the fields whose times are written without one. */
  zones: ReadonlyMap<string, string>;
}

/** The fields that some targets are written to. */
const fields: Readonly<Record<string, string>> = {
  email: "emails",
  phone: "phones",
  status: "status_id",
  owner: "owner_id",
  "contact.email": "emails",
  "contact.phone": "phones",
  "contact.url": "urls",
  "opportunity.status": "status_id",
  "opportunity.currency": "value_currency",
  "opportunity.close_date": "expected_close_date",
  ...Object.fromEntries(
    ["address_1", "address_2", "city", "state", "zipcode", "country"].map((line) => [line, `addresses.${line}`]),
  ),
};

export function conflictsOf(ctx: Ctx, imp: Import, part: "lead" | "contact" | "opportunity" | "product"): Conflicts {
  const { mapping, dialect, columns } = imp;
  const local = new Set(columns.filter(({ samples }) => writesLocalTimes(samples)).map(({ name }) => name));
  const found = new Map<string, Conflict>();
  const zones = new Map<string, string>();
  for (const { column, target, on_conflict } of entriesOf(mapping)) {
    const [, prefix = "lead", rest] = /^(?:(contact|opportunity|product)\.)?(.*)$/s.exec(target)!;
    if (prefix !== part) continue;
    const field = fields[target] ?? rest!;
    if (local.has(column)) zones.set(field, zoneOfImport(ctx, imp));
    if (on_conflict === undefined) continue;
    found.set(field, on_conflict);
    // The close date of a deal that is won or lost is the day of that.
    if (target === "opportunity.close_date")
      for (const closed of ["date_won", "date_lost"]) if (!found.has(closed)) found.set(closed, on_conflict);
  }
  return { by: found, zones, isExact: dialect?.format === "json" || dialect?.format === "jsonl" };
}

/** The same for a record that exists. Lists keep what they have, and other values are replaced, unless the mapping says otherwise. */
export function onTopOf(before: Body, body: Body, conflicts: Conflicts): Body {
  const settled: Body = {};
  for (const [key, value] of Object.entries(body)) {
    // A record that exists was created when it was.
    if (key === "date_created") continue;
    const present = valueOf(before, key);
    const said = conflicts.isExact ? value : withWhatCellsLack(present, value, conflicts.zones.get(key));
    const now =
      key === "addresses" ? addressesOn(present, said, conflicts) : settle(present, said, conflicts.by.get(key), lists.has(key));
    if (now !== undefined) settled[key] = now;
  }
  return settled;
}

/**
 * A cell of a table loses the white space at the ends of its text, a spreadsheet the parts of a second, and local time which of two hours
 * with the same name it was. What differs from the present value only in these is the present value.
 */
function withWhatCellsLack(present: any, value: any, zone?: string): any {
  if (typeof value === "string") return typeof present === "string" && isMeant(present, value, zone) ? present : value;
  if (!Array.isArray(value)) return value;
  const there: any[] = Array.isArray(present) ? present : [];
  return value.map((one, i) => {
    if (typeof one === "string") return there.find((other) => typeof other === "string" && isMeant(other, one, zone)) ?? one;
    if (typeof one !== "object" || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([key, part]) => [key, withWhatCellsLack(there[i]?.[key], part)]));
  });
}

function isMeant(present: string, value: string, zone: string | undefined): boolean {
  if (present.trim() === value) return true;
  if (!wholeSecond.test(value) || !fraction.test(present)) return false;
  const there = present.replace(fraction, ".000Z");
  return there === value || (zone !== undefined && parseLocalTime(timeIn(new Date(there), zone).slice(0, 23), zone) === value);
}

const wholeSecond = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/;
const fraction = /\.\d{3}Z$/;

const lists: ReadonlySet<string> = new Set(["emails", "phones", "urls", "tags"]);

/** Undefined where the present value stays. */
function settle(present: any, value: any, conflict: Conflict | undefined, appends: boolean): unknown {
  if (conflict === "never" || (conflict === "if_empty" && !isEmpty(present))) return undefined;
  if (Array.isArray(value) && (conflict === "append" || (conflict === undefined && appends)))
    return listOnTop(present ?? [], value);
  if (conflict === "append" && typeof present === "string" && present !== "")
    return present.split("\n").includes(value) ? undefined : `${present}\n${value}`;
  return value;
}

/**
 * What is there keeps its place and spelling, and takes what is said about it, such as another type. What is there twice, such as a number of
 * the office and of a home, takes what is said the first and the second time.
 */
function listOnTop(present: readonly any[], given: readonly any[]): any[] {
  const saying = Map.groupBy(given, keyOf);
  const seen = new Map<string, number>();
  const known = present.map((one) => {
    const all = saying.get(keyOf(one)) ?? [];
    const place = seen.get(keyOf(one)) ?? 0;
    seen.set(keyOf(one), place + 1);
    const said = all[Math.min(place, all.length - 1)];
    const isPlain = typeof one !== "object" || typeof said !== "object";
    return isPlain ? one : { ...one, ...said, ...pointOf(one) };
  });
  return [...known, ...distinct(given.filter((one) => !seen.has(keyOf(one))))];
}

/** Addresses have no names: each takes the lines of the one in its place. */
function addressesOn(present: any, given: Body[], conflicts: Conflicts): Body[] | undefined {
  const all: Body[] = [...(present ?? [])];
  const isSaid = given.map((said, i) => {
    const lines = Object.entries(said).map(([line, value]) => {
      const conflict = conflicts.by.get(`addresses.${line}`) ?? conflicts.by.get("addresses");
      return [line, settle(all[i]?.[line], value, conflict, false)];
    });
    const changed = Object.fromEntries(lines.filter(([, value]) => value !== undefined));
    all[i] = { ...all[i], ...changed };
    return Object.keys(changed).length > 0;
  });
  return isSaid.includes(true) ? all : undefined;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** A contact has one name, which a row may give in two parts. */
export function valueOf(before: Body, key: string): any {
  if (key.startsWith("custom.")) return before.custom?.[key];
  return key === "first_name" || key === "last_name" ? before.name : before[key];
}
