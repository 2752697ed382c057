// An event: one change of one record. `records/event.ts` writes it in the transaction of the change. It never changes.
import { z } from "zod";
import { invalid } from "../../core/errors.ts";
import { json, related, text, texts } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { type Filter } from "../../core/search.ts";
import { name, or, raw, type Sql, sql } from "../../db/sql.ts";
import { checkAmong, readValues } from "../../records/comparisons.ts";
import { firstIdAt, madeAt } from "../../values/id.ts";
import { deliveriesOf, eventDelivery } from "./deliveries.ts";
import { customEvent, type EventName, eventNames, eventPattern, matchesEvent, unknownEvent } from "./event_names.ts";
import { eventIsVisible, metaOf } from "./visibility.ts";

const anything = z.record(z.string(), z.unknown());

export const event = resource({
  name: "event",
  prefix: "ev",
  table: "stored_event",
  doc: "One change of one record: what it is now, and what it was.",
  event: null,
  visible: eventIsVisible,
  filters: {
    object_type: partFilter("Only events of this kind of record.", "type", alone),
    object_type__in: partFilter("Only events of one of these kinds of record, separated by commas.", "type", readValues),
    action: partFilter("Only events of this action.", "action", alone),
    action__in: partFilter("Only events of one of these actions, separated by commas.", "action", readValues),
    event: eventFilter("Only events of this name, or of a pattern such as `lead.*`; `*` for all.", alone),
    event__in: eventFilter("Only events of one of these names and patterns, separated by commas.", readValues),
    request_id: requestFilter("Only events of this request.", alone),
    request_id__in: requestFilter("Only events of one of these requests, separated by commas.", readValues),
  },
  fields: {
    object_type: text({ required: true, readOnly: true, doc: "The kind of record, such as `lead` or `task.call`." }),
    object_id: text({ required: true, readOnly: true, doc: "The record that changed." }),
    action: text({ required: true, readOnly: true, doc: "What happened to it, such as `created`." }),
    event: text({ required: true, readOnly: true, doc: "Both in one name, as webhooks subscribe to it: `lead.created`." }),
    lead_id: text({ readOnly: true, doc: "The lead the record belongs to." }),
    user_id: text({ readOnly: true, doc: "The user who did it; null for the service itself." }),
    api_key_id: text({ readOnly: true, doc: "The API key that was used." }),
    oauth_client_id: text({ readOnly: true, doc: "The OAuth application that was used." }),
    oauth_scope: text({ readOnly: true, doc: "The scope of the connection that did it." }),
    request_id: text({ readOnly: true, doc: "The same for all events of one request." }),
    changed_fields: texts({ readOnly: true, default: [] as string[], doc: "For an update: the fields that changed." }),
    previous_data: json(anything, {
      readOnly: true,
      default: {},
      doc: "The previous values of these fields; for a deletion, the whole record.",
    }),
    data: json(anything, { readOnly: true, default: {}, doc: "The record after the change; empty when it was deleted." }),
    meta: related(
      anything,
      (alias, ctx) => metaOf(ctx, alias),
      "The request, and the larger operation it was part of. It names only records that the caller may see.",
      { always: true },
    ),
    deliveries: related(
      z.array(eventDelivery),
      deliveriesOf,
      "What became of it at your webhooks, the newest first. Shown where one event is read, and in lists when it is named.",
    ),
    // An event has no author other than `user_id`.
    created_by: text({ readOnly: true, hidden: true }),
    updated_by: text({ readOnly: true, hidden: true }),
  },
});

// Parts and patterns of names are looked up as the names that they match, because names have an index: a rare kind among a
// million events takes 1 ms instead of 800.
const named = (alias: string, names: readonly EventName[]): Sql =>
  namedAs(
    alias,
    names.map((one) => one.name),
  );

const namedAs = (alias: string, names: readonly string[]): Sql => sql`${name(alias)}.event = any(${names}::text[])`;

/** What automations emit by names of their own. */
const isCustom = (alias: string): Sql => sql`${name(alias)}.event like 'custom.%'`;

function alone(value: string): string[] {
  return [value];
}

function partFilter(doc: string, part: "type" | "action", read: (value: string) => string[]): Filter {
  const known = [...new Set(eventNames.map((one) => one[part]))];
  return {
    doc,
    sql(_ctx, value, alias) {
      const wanted = read(value);
      checkAmong(wanted, known);
      return named(
        alias,
        eventNames.filter((one) => wanted.includes(one[part])),
      );
    },
  };
}

function eventFilter(doc: string, read: (value: string) => string[]): Filter {
  return {
    doc,
    sql(_ctx, value, alias) {
      const patterns = read(value).map((one) => eventPattern(one) ?? refuse(one));
      if (patterns.includes("*")) return raw("true");
      const known = eventNames.filter(({ name }) => patterns.some((pattern) => matchesEvent(pattern, name)));
      const ownNames = patterns.filter((pattern) => customEvent.test(pattern));
      const among = namedAs(alias, [...known.map((one) => one.name), ...ownNames]);
      return patterns.includes("custom.*") ? or([among, isCustom(alias)]) : among;
    },
  };
}

/** A request runs for less than this. */
const requestMostMs = 60 * 60 * 1000;

/**
 * Requests for the events of one request are rare, so there is no index for them. The request's id contains its start, and the
 * events' ids contain when they were written.
 */
function requestFilter(doc: string, read: (value: string) => string[]): Filter {
  return { doc, sql: (_ctx, value, alias) => or(read(value).map((id) => ofRequest(alias, id))) };
}

function ofRequest(alias: string, id: string): Sql {
  const began = madeAt("req", id)?.getTime();
  if (began === undefined) return raw("false");
  const [from, to] = [began - 60_000, began + requestMostMs].map((ms) => firstIdAt("ev", new Date(ms)));
  return sql`(${name(alias)}.request_id = ${id} and ${name(alias)}.id >= ${from!} and ${name(alias)}.id < ${to!})`;
}

function refuse(pattern: string): never {
  throw invalid({ "": unknownEvent(pattern) });
}
