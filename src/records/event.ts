// Events. Each change writes one row in its own transaction, and the row never changes. `GET /event/` lists these rows, and
// webhooks send them.

import { type Ctx, transactionOf, userOf, write } from "../core/context.ts";
import { kindOf, type Resource, type Row } from "../core/resource.ts";
import type { Statement } from "../db/database.ts";
import { newId } from "../values/id.ts";
import { same } from "../values/same.ts";
import { idMoment } from "./rehearse.ts";
import { renderRow } from "./render.ts";
import { batch, inTurns } from "./turns.ts";
import { hear } from "./written.ts";

export interface Change<R extends Resource = Resource> {
  action: string;
  before?: Row<R> | null;
  after?: Row<R> | null;
  /** The names of the stored fields that changed; custom fields by their own names. */
  changed?: readonly string[];
  meta?: Record<string, unknown>;
}

/** Writes the event of a change of one record, unless its resource emits none (`event: null`). */
export function emit<R extends Resource>(ctx: Ctx, of: R, change: Change<R>): void {
  emitAll(ctx, of, [change]);
}

/** The same for many changes, in their order and in one statement. */
export function emitAll<R extends Resource>(ctx: Ctx, of: R, changes: readonly Change<R>[]): void {
  const events = changes.map((change) => eventOf(ctx, of, change)).filter((event) => event !== null);
  if (events.length === 0) return;
  if (ctx.rehearsal !== undefined) return rehearse(ctx.rehearsal, events);
  for (let from = 0; from < events.length; from += batch) write(ctx, insertEvents(events.slice(from, from + batch)));
  transactionOf(ctx).afterCommit(() => ctx.registry.announceEvents());
}

/** The same in turns, for any number of changes. */
export const emitInTurns = <R extends Resource>(ctx: Ctx, of: R, changes: readonly Change<R>[]): Promise<void> =>
  inTurns(changes, (piece) => emitAll(ctx, of, piece));

interface About {
  object_id: string;
  lead_id: string | null;
}

/** Writes an event that is no change of a record, about the record with this id. */
export function emitCustom(ctx: Ctx, name: string, about: About, data: object): void {
  emitPlain(ctx, "custom", name, about, data);
}

/** The same by any name. Returns its id. */
export function emitPlain(ctx: Ctx, type: string, action: string, { object_id, lead_id }: About, data: object): string {
  const values = valuesOf(ctx, type, object_id, lead_id, { action }, JSON.stringify(data), "{}");
  const id = values[names.indexOf("id")] as string;
  if (ctx.rehearsal !== undefined) {
    rehearse(ctx.rehearsal, [values]);
    return id;
  }
  write(ctx, insertEvents([values]));
  transactionOf(ctx).afterCommit(() => ctx.registry.announceEvents());
  return id;
}

/** The values of the event's row; null if the change emits no event. */
function eventOf<R extends Resource>(ctx: Ctx, of: R, change: Change<R>): unknown[] | null {
  const row = (change.after ?? change.before) as Row<R> & Record<string, unknown>;
  const kind = kindOf(of, row);
  if (change.after) hear(ctx, { of: kind, before: change.before ?? null, after: change.after, changed: change.changed ?? null });
  const objectType = kind.event?.(row) ?? null;
  if (objectType === null || (change.action === "created" && kind.createdSilently)) return null;
  const [before, after] = [change.before, change.after].map((one) => (one ? toldRow(ctx, kind, one as Row<Resource>) : null));
  const data = after ? renderTold(ctx, kind, after) : "{}";
  const previous = before
    ? change.changed
      ? JSON.stringify(pickChanged(before, change.changed))
      : renderTold(ctx, kind, before)
    : "{}";
  const lead_id = of.eventLead ? of.eventLead(row) : ((row.lead_id as string | null | undefined) ?? null);
  return valuesOf(ctx, objectType, row.id as string, lead_id, change, data, previous);
}

/** The record as its events show it. */
export const eventText = (ctx: Ctx, kind: Resource, row: Row<Resource>): string => renderTold(ctx, kind, toldRow(ctx, kind, row));

const renderTold = (ctx: Ctx, kind: Resource, row: Row<Resource>): string =>
  renderRow(kind, row, ctx.directory, ctx, (name) => ctx.registry.resource(name));

/** The row without what not everybody who reads its events may read. */
function toldRow(ctx: Ctx, kind: Resource, row: Row<Resource>): Row<Resource> {
  const told = kind.columns.flatMap(([key, field]): [string, unknown][] => {
    const value = (row as Record<string, unknown>)[key];
    return field.told === null || value == null ? [] : [[key, field.told(value, row, ctx)]];
  });
  return told.length === 0 ? row : { ...row, ...Object.fromEntries(told) };
}

const columns = {
  organization_id: "text",
  id: "text",
  object_type: "text",
  action: "text",
  event: "text",
  object_id: "text",
  lead_id: "text",
  user_id: "text",
  api_key_id: "text",
  oauth_client_id: "text",
  oauth_scope: "text",
  request_id: "text",
  changed_fields: "text[]",
  previous_data: "json",
  data: "json",
  meta: "json",
  date_created: "timestamptz",
} as const;
const names = Object.keys(columns) as (keyof typeof columns)[];
const others = names.filter((one) => one !== "organization_id");
const into = `insert into event (${names.join(", ")}, date_updated)`;
const text = `${into} values (${names.map((_, i) => `$${i + 1}`).join(", ")}, $${names.length})`;

// Many rows are sent as one JSON text: values that are JSON already are copied into it and not serialized twice.
const manyText = `${into} select $2, ${others.join(", ")}, date_created
  from json_to_recordset($1::json) t(${others.map((one) => `${one} ${columns[one]}`).join(", ")})`;

function rehearse({ hear }: NonNullable<Ctx["rehearsal"]>, events: readonly unknown[][]): void {
  for (const values of events) hear(Object.fromEntries(names.map((key, i) => [key, values[i]])));
}

/** The statement writes one event, and may be sent later in the same transaction. */
export const isEvent = ({ name }: Statement): boolean => name === insertsOne;

/** Sends statements that write one event each as few that write many. */
export function writeEvents(ctx: Ctx, statements: readonly Statement[]): void {
  for (let from = 0; from < statements.length; from += batch)
    write(ctx, insertEvents(statements.slice(from, from + batch).map(({ values }) => values)));
}

const insertsOne = "event.insert";

function insertEvents(events: readonly unknown[][]): Statement {
  if (events.length === 1) return { name: insertsOne, text, values: events[0]!, isRow: true };
  const member = (values: readonly unknown[]) => (key: keyof typeof columns, i: number) =>
    `"${key}":${columns[key] === "json" ? values[i] : JSON.stringify(values[i])}`;
  const rows = events.map((values) => `{${names.map(member(values)).join(",")}}`);
  return { name: "event.insert_many", text: manyText, values: [`[${rows.join(",")}]`, events[0]![0]] };
}

function valuesOf(
  ctx: Ctx,
  objectType: string,
  objectId: string,
  lead_id: string | null,
  change: Change,
  data: string,
  previous: string,
): unknown[] {
  const now = ctx.now.toISOString();
  const meta = {
    request_method: ctx.request.method,
    request_path: ctx.request.path,
    ...ctx.meta,
    ...change.meta,
  };
  return [
    ctx.organization_id,
    newId("ev", idMoment(ctx)),
    objectType,
    change.action,
    `${objectType}.${change.action}`,
    objectId,
    lead_id,
    userOf(ctx),
    ctx.actor.api_key_id,
    ctx.actor.oauth?.client_id ?? null,
    ctx.actor.oauth?.scope ?? null,
    ctx.request.id,
    change.changed ?? [],
    previous,
    data,
    JSON.stringify(meta),
    now,
  ];
}

/** The stored fields that differ, without bookkeeping and derived ones; each custom value by its own name. */
export function changedFields(of: Resource, before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const changed: string[] = [];
  for (const [key, field] of of.columns) {
    if (bookkeeping.has(key) || same(before[key], after[key])) continue;
    if (key === "custom" && of.custom) changed.push(...changedKeys(before.custom, after.custom));
    else if (!field.hidden && field.derive === null) changed.push(key);
  }
  return changed;
}

const bookkeeping = new Set(["date_updated", "updated_by"]);

function changedKeys(before: unknown, after: unknown): string[] {
  const [was, is] = [(before ?? {}) as Record<string, unknown>, (after ?? {}) as Record<string, unknown>];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((key) => !same(was[key], is[key]));
}

function pickChanged(row: Record<string, unknown>, changed: readonly string[]): Record<string, unknown> {
  const custom = (row.custom ?? {}) as Record<string, unknown>;
  return Object.fromEntries(changed.map((key) => [key, (key.startsWith("custom.") ? custom[key] : row[key]) ?? null]));
}
