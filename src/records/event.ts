// Events: one immutable row for each change, written in the change's own transaction. The table is what `GET /event/` shows and
// what webhooks are fed from.

import { type Ctx, transactionOf, write } from "../core/context.ts";
import { newId } from "../core/id.ts";
import { kindOf, type Resource, type Row } from "../core/resource.ts";
import { same } from "../core/row.ts";
import type { Statement } from "../db/database.ts";
import { renderRow } from "./writer.ts";

export interface Change<R extends Resource = Resource> {
  action: string;
  before?: Row<R> | null;
  after?: Row<R> | null;
  /** The names of stored fields that changed; custom values by their own names. */
  changed?: readonly string[];
  meta?: Record<string, unknown>;
}

/** Writes the event of a change of one record. What emits nothing (`event: null`) is passed over. */
export function emit<R extends Resource>(ctx: Ctx, of: R, change: Change<R>): void {
  const row = (change.after ?? change.before) as Row<R> & Record<string, unknown>;
  const kind = kindOf(of, row);
  const objectType = kind.event?.(row) ?? null;
  if (objectType === null) return;
  const lookup = (name: string) => ctx.registry.resource(name);
  const data = change.after ? renderRow(kind, change.after as Row<Resource>, ctx.directory, ctx, lookup) : "{}";
  const previous = change.before
    ? change.changed
      ? JSON.stringify(pickChanged(change.before as Record<string, unknown>, change.changed))
      : renderRow(kind, change.before as Row<Resource>, ctx.directory, ctx, lookup)
    : "{}";
  const lead_id = of.eventLead ? of.eventLead(row) : ((row.lead_id as string | null | undefined) ?? null);
  write(ctx, insertEvent(ctx, objectType, row.id as string, lead_id, change, data, previous));
  transactionOf(ctx).afterCommit(() => ctx.registry.announceEvents());
}

const columns =
  "organization_id, id, object_type, action, event, object_id, lead_id, user_id, api_key_id, request_id, changed_fields, previous_data, data, meta, date_created, date_updated";
const text = `insert into event (${columns}) values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$15)`;

function insertEvent(
  ctx: Ctx,
  objectType: string,
  objectId: string,
  lead_id: string | null,
  change: Change,
  data: string,
  previous: string,
): Statement {
  const now = ctx.now.toISOString();
  const meta = {
    request_method: ctx.request.method,
    request_path: ctx.request.path,
    ...ctx.meta,
    ...change.meta,
  };
  const values = [
    ctx.organization_id,
    newId("ev", ctx.now.getTime()),
    objectType,
    change.action,
    `${objectType}.${change.action}`,
    objectId,
    lead_id,
    ctx.actor.user_id,
    ctx.actor.api_key_id,
    ctx.request.id,
    change.changed ?? [],
    previous,
    data,
    JSON.stringify(meta),
    now,
  ];
  return { name: "event.insert", text, values };
}

/** The stored fields that differ, bookkeeping and derived ones left out; custom values one by one. */
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
