// Gives a record the values that it had before.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { kindOf, type Resource, type Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { checkVisible, findRecords } from "../../records/records.ts";
import { renderRow } from "../../records/render.ts";
import { store } from "../../records/store.ts";
import { same } from "../../values/same.ts";
import { change } from "../bulk_actions/do_edit.ts";
import type { PastEvent } from "./changes_of.ts";
import type { Past } from "./past.ts";
import { checkRight } from "./rights.ts";

/** Returns the fields that are as before. Refuses where somebody has changed one of them since. */
export async function changeBack(ctx: Ctx, { of, object_id, events }: Past): Promise<string[]> {
  const before = await lockPast(ctx, of, object_id);
  const kind = kindOf(of, before);
  const { was, is } = valuesOf(events);
  const present = JSON.parse(renderRow(kind, before, ctx.directory, ctx, (name) => ctx.registry.resource(name)));
  const others = [...is].filter(([field, value]) => !same(present[field] ?? null, value)).map(([field]) => field);
  if (others.length > 0) throw invalid({}, `${others.join(", ")}: changed since`);

  const isSet = ([field]: [string, unknown]) => field.startsWith("custom.") || kind.fields[field]?.mode === "write";
  const set = Object.fromEntries([...was].filter(isSet));
  const moved = Object.fromEntries([...was].filter((one) => !isSet(one) && (kind.fields[one[0]] as { ref?: unknown })?.ref));
  const fields = [...Object.keys(set), ...Object.keys(moved)];
  if (fields.length === 0 && was.size > 0) throw invalid({}, `${[...was.keys()].join(", ")}: cannot be set`);
  // What belongs to another lead again may name a contact of it again.
  const there = Object.keys(moved).length === 0 ? before : await moveBack(ctx, kind, before, moved);
  if (Object.keys(set).length > 0) await setBack(ctx, of, there, set);
  return fields;
}

async function setBack(ctx: Ctx, of: Resource, before: Row<Resource>, values: Record<string, unknown>): Promise<void> {
  checkRight(ctx, kindOf(of, before), "update");
  await change(ctx, of, before, values);
}

/** A record that a merge gave to another one goes back to its own, which needs no right of its own. */
async function moveBack(
  ctx: Ctx,
  kind: Resource,
  before: Row<Resource>,
  values: Record<string, unknown>,
): Promise<Row<Resource>> {
  await checkVisible(ctx, kind, values, before);
  return store.update(ctx, kind, before, values);
}

export async function lockPast(ctx: Ctx, of: Resource, id: string): Promise<Row<Resource>> {
  const [row] = await findRecords(ctx, of, [sql`t.id = ${id}`], sql`for update of t`);
  if (row === undefined) throw invalid({}, "is deleted, or not visible to you");
  return row;
}

/** The changed fields: what they were before the first change, and were after the last. */
function valuesOf(events: readonly PastEvent[]): { was: Map<string, unknown>; is: Map<string, unknown> } {
  const was = new Map<string, unknown>();
  const is = new Map<string, unknown>();
  for (const { changed_fields, previous_data, data } of events)
    for (const field of changed_fields) {
      if (!was.has(field)) was.set(field, previous_data[field] ?? null);
      is.set(field, data[field] ?? null);
    }
  return { was, is };
}
