// Conditions on one event: `{"type": "field_accessor", "field": "data", "filter": …}`. Webhooks use them to select events.

import { notAmong } from "../../values/reasons.ts";
import { same } from "../../values/same.ts";

export type EventFilter =
  | { type: "and" | "or"; filters: EventFilter[] }
  | { type: "not" | "any_array_value"; filter: EventFilter }
  | { type: "field_accessor"; field: string; filter: EventFilter }
  | { type: "equals" | "not_equals" | "contains"; value: unknown }
  | { type: "is_null" | "non_null" };

export const filterTypes = [
  "and",
  "or",
  "not",
  "field_accessor",
  "any_array_value",
  "equals",
  "not_equals",
  "contains",
  "is_null",
  "non_null",
] as const;

/** Whether the value (at first the event itself) matches the filter. Never throws. */
export function passes(filter: EventFilter, value: unknown): boolean {
  switch (filter.type) {
    case "and":
      return filter.filters.every((one) => passes(one, value));
    case "or":
      return filter.filters.some((one) => passes(one, value));
    case "not":
      return !passes(filter.filter, value);
    case "field_accessor":
      return passes(filter.filter, member(value, filter.field));
    case "any_array_value":
      return Array.isArray(value) && value.some((one) => passes(filter.filter, one));
    case "equals":
      return same(value ?? null, filter.value);
    case "not_equals":
      return !same(value ?? null, filter.value);
    case "contains":
      return contains(value, filter.value);
    case "is_null":
      return value === null || value === undefined;
    case "non_null":
      return value !== null && value !== undefined;
  }
}

const member = (value: unknown, field: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, field)
    ? (value as Record<string, unknown>)[field]
    : undefined;

function contains(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(value)) return value.some((one) => same(one, wanted));
  return typeof value === "string" && typeof wanted === "string" && value.includes(wanted);
}

type Place = readonly (string | number)[];
type FilterProblem = { place: Place; reason: string } | null;

/**
 * What filters of one webhook may have together, because each event is compared with all of them: conditions, and characters of a
 * value.
 */
const conditionsMost = 50;
/** With those that only join or lead to others, such as `and` and `field_accessor`. */
const nodesMost = 4 * conditionsMost;
const valueMost = 255;

/** Why filters cost too much to be checked for every event, or null. */
export function tooMuch(filters: readonly EventFilter[]): string | null {
  let conditions = 0;
  let nodes = 0;
  let isLong = false;
  const look = (one: EventFilter): void => {
    nodes++;
    if (!("filters" in one) && !("filter" in one)) conditions++;
    if ("filters" in one) one.filters.forEach(look);
    else if ("filter" in one) look(one.filter);
    else if ("value" in one) isLong ||= JSON.stringify(one.value).length > valueMost + 2;
  };
  filters.forEach(look);
  if (conditions > conditionsMost) return `have ${conditions} conditions together, and may have ${conditionsMost}`;
  if (nodes > nodesMost) return `are nested in ${nodes} parts, and may have ${nodesMost}`;
  return isLong ? `compare with a value of more than ${valueMost} characters` : null;
}

/** The place and reason of an error in a filter, or null. Depth and size are limited as in any body. */
export function problemOf(filter: unknown, place: Place = []): FilterProblem {
  if (typeof filter !== "object" || filter === null || Array.isArray(filter))
    return { place, reason: "must be an object with a type" };
  return problemOfType(filter as Record<string, unknown>, place) ?? strayMember(filter as Record<string, unknown>, place);
}

function problemOfType(given: Record<string, unknown>, place: Place): FilterProblem {
  const { type, filters, filter: inner, field } = given;
  switch (type) {
    case "and":
    case "or":
      if (!Array.isArray(filters) || filters.length === 0)
        return { place: [...place, "filters"], reason: "must be a list of filters" };
      return firstProblem(filters, [...place, "filters"]);
    case "field_accessor":
      if (typeof field !== "string" || field === "") return { place: [...place, "field"], reason: "must name a field" };
      return problemOf(inner, [...place, "filter"]);
    case "not":
    case "any_array_value":
      return problemOf(inner, [...place, "filter"]);
    case "equals":
    case "not_equals":
    case "contains":
      return Object.hasOwn(given, "value") ? null : { place: [...place, "value"], reason: "is required" };
    case "is_null":
    case "non_null":
      return null;
    default:
      return { place: [...place, "type"], reason: notAmong(type, filterTypes) };
  }
}

/** An unknown key would have narrowed the filter, so it is refused. */
function strayMember(given: Record<string, unknown>, place: Place): FilterProblem {
  const known = ["type", ...members[given.type as EventFilter["type"]]];
  const stray = Object.keys(given).find((key) => !known.includes(key));
  return stray === undefined ? null : { place: [...place, stray], reason: "is not known here" };
}

const members: Record<EventFilter["type"], readonly string[]> = {
  and: ["filters"],
  or: ["filters"],
  not: ["filter"],
  any_array_value: ["filter"],
  field_accessor: ["field", "filter"],
  equals: ["value"],
  not_equals: ["value"],
  contains: ["value"],
  is_null: [],
  non_null: [],
};

function firstProblem(filters: readonly unknown[], place: Place): FilterProblem {
  for (const [i, one] of filters.entries()) {
    const problem = problemOf(one, [...place, i]);
    if (problem !== null) return problem;
  }
  return null;
}
