// How conditions compare values. Null equals nothing but null, and texts that are dates or numbers compare as such.
import { same } from "../../values/same.ts";
import { isObject } from "./config.ts";
import { type Calendar, msAway } from "./durations.ts";

const text = (value: unknown): string => String(value ?? "").toLowerCase();
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === null || value === undefined ? [] : [value]);
const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);

/** Below zero, zero or above it; NaN where the two have no order. */
function order(a: unknown, b: unknown): number {
  if (isEmpty(a) || isEmpty(b)) return Number.NaN;
  if (typeof a === "number" || typeof b === "number") return Number(a) - Number(b);
  const [x, y] = [Date.parse(String(a)), Date.parse(String(b))];
  return Number.isNaN(x) || Number.isNaN(y) ? String(a).localeCompare(String(b)) : x - y;
}

const equal = (a: unknown, b: unknown): boolean =>
  same(a ?? null, b ?? null) || (typeof a === "string" && typeof b === "string" && a.toLowerCase() === b.toLowerCase());

const has = (a: unknown, b: unknown): boolean => (Array.isArray(a) ? a.some((one) => equal(one, b)) : text(a).includes(text(b)));

/** A moment: as written, or `{amount, unit, direction}` from now. */
function momentOf(value: unknown, now: Date, calendar: () => Calendar): number {
  if (!isObject(value)) return Date.parse(String(value));
  return msAway(now, spanOf(value), value.direction === "after" || value.direction === "future" ? 1 : -1, calendar);
}

const spanOf = ({ amount, unit }: Record<string, unknown>) => ({ amount: Number(amount), unit: String(unit) });

function isWithin(a: unknown, b: unknown, now: Date, sign: 1 | -1, calendar: () => Calendar): boolean {
  if (!isObject(b) || isEmpty(a)) return false;
  const distance = (Date.parse(String(a)) - now.getTime()) * sign;
  return distance >= 0 && distance <= (msAway(now, spanOf(b), sign, calendar) - now.getTime()) * sign;
}

type Compare = (a: unknown, b: unknown, now: Date, calendar: () => Calendar) => boolean;

const operators: ReadonlyMap<string, Compare> = new Map<string, Compare>([
  ["is", equal],
  ["is_not", (a, b) => !equal(a, b)],
  ["in", (a, b) => list(b).some((one) => equal(a, one))],
  ["not_in", (a, b) => !list(b).some((one) => equal(a, one))],
  ["contains", (a, b) => !isEmpty(a) && has(a, b)],
  ["not_contains", (a, b) => isEmpty(a) || !has(a, b)],
  ["starts_with", (a, b) => list(a).some((one) => text(one).startsWith(text(b)))],
  ["ends_with", (a, b) => list(a).some((one) => text(one).endsWith(text(b)))],
  ["gt", (a, b) => order(a, b) > 0],
  ["gte", (a, b) => order(a, b) >= 0],
  ["lt", (a, b) => order(a, b) < 0],
  ["lte", (a, b) => order(a, b) <= 0],
  ["between", (a, b) => order(a, list(b)[0]) >= 0 && order(a, list(b)[1]) <= 0],
  ["exists", (a) => !isEmpty(a)],
  ["not_exists", isEmpty],
  ["is_true", (a) => a === true],
  ["is_false", (a) => a === false],
  ["before", (a, b, now, calendar) => !isEmpty(a) && Date.parse(String(a)) < momentOf(b, now, calendar)],
  ["after", (a, b, now, calendar) => !isEmpty(a) && Date.parse(String(a)) > momentOf(b, now, calendar)],
  ["within_last", (a, b, now, calendar) => isWithin(a, b, now, -1, calendar)],
  ["within_next", (a, b, now, calendar) => isWithin(a, b, now, 1, calendar)],
]);

const plain = (): Calendar => ({ zone: "UTC", holidays: [] });

/** `calendar` is for business days. */
export const compares = (op: string, a: unknown, b: unknown, now: Date, calendar = plain): boolean =>
  operators.get(op)?.(a, b, now, calendar) ?? false;
