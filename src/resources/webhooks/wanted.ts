// Which events a webhook wants: by their names in SQL, by its filters one by one.
import { type Sql, sql } from "../../db/sql.ts";
import { type EventFilter, passes } from "../events/event_filter.ts";
import { customEvent, eventNames, eventPattern, matchesEvent } from "../events/event_names.ts";

/** The event names that match these patterns. Null for all. Of `custom.*`, which has no end, there are none. */
export function namesOf(patterns: readonly string[]): string[] | null {
  const full = fullOf(patterns);
  if (full.includes("*")) return null;
  const known = eventNames.filter(({ name }) => full.some((pattern) => matchesEvent(pattern, name))).map(({ name }) => name);
  return [...known, ...full.filter((pattern) => customEvent.test(pattern))];
}

/** The condition on an event's name. Null for all. */
export function isWantedIn(patterns: readonly string[], event: Sql): Sql | null {
  const names = namesOf(patterns);
  if (names === null) return null;
  const among = sql`${event} = any(${names}::text[])`;
  return patterns.includes("custom.*") ? sql`(${among} or ${event} like 'custom.%')` : among;
}

/** Whether one of these names matches one of the patterns. */
export function isAskedFor(patterns: readonly string[], names: ReadonlySet<string>): boolean {
  const full = fullOf(patterns);
  for (const name of names) if (full.some((pattern) => matchesEvent(pattern, name))) return true;
  return false;
}

/** The same in SQL, for an event's name and the patterns as they were given. */
export const isAskedForIn = (patterns: Sql, event: Sql): Sql => sql`${event} like any (array(
  select replace(form, '*', '%') from unnest(${patterns}) given(pattern) cross join lateral (values
    (given.pattern), ('activity.' || given.pattern), (regexp_replace(given.pattern, '^task\\.([a-z]+)$', 'task.%.\\1'))) f(form)))`;

/** A pattern that a newer release removed matches nothing. */
const fullOf = (patterns: readonly string[]): string[] => patterns.flatMap((one) => eventPattern(one) ?? []);

/** An event is sent when one of its matching names has no filter, or a filter that accepts it. */
export function passesFilters(
  patterns: readonly string[],
  filters: Record<string, EventFilter> | null,
  event: string,
  json: string,
): boolean {
  if (filters === null) return true;
  const asking = patterns.filter((one) => matchesEvent(eventPattern(one) ?? "", event));
  const own = asking.map((one) => filters[one]);
  if (own.includes(undefined)) return true;
  const value: unknown = JSON.parse(json);
  return own.some((filter) => passes(filter!, value));
}
