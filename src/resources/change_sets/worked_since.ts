// Whether somebody has worked with a record since it was created: whether it, or what belongs to it, is otherwise than it was left.
import { type Ctx, query } from "../../core/context.ts";
import { type Sql, sql, statement } from "../../db/sql.ts";
import { same } from "../../values/same.ts";
import { isOwn, valuesOf } from "./change_back.ts";
import type { PastEvent } from "./changes_of.ts";
import { isOfMembers, listedIds } from "./members_back.ts";
import { comings, kindOfEvent, lifeOf, resourceOf } from "./past.ts";
import { isDeletedByHand } from "./rights.ts";

/** What is taken back: it is no work of others. */
export interface Asked {
  requests: ReadonlySet<string>;
  import_id?: string;
}

/** A record, and the id of the event after which what was done with it is work. */
export interface Since {
  id: string;
  since: string;
}

/**
 * Those that a member has worked with beside what is taken back. What follows by itself is no work, and neither is what was undone. They
 * are asked for together; only where there is very much work, part by part.
 */
export async function workedWithAmong(ctx: Ctx, some: readonly Since[], asked: Asked): Promise<Set<string>> {
  const counts = await countWork(ctx, some, asked);
  const worked = new Set(some.flatMap(({ id }) => ((counts.get(id) ?? 0) > eventsMost ? [id] : [])));
  const open = some.filter(({ id }) => counts.has(id) && !worked.has(id));
  for (const part of partsOf(open, ({ id }) => counts.get(id)!)) {
    const events = await workSince(ctx, part, asked);
    const undone = await undoneOf(ctx, [...events.values()].flat());
    for (const [id, own] of events) {
      const byRecord = Map.groupBy(own, ({ object_id }) => object_id);
      if (own.length > eventsMost || [...byRecord.values()].some((one) => isOtherwise(ctx, one, undone))) worked.add(id);
    }
  }
  return worked;
}

/** The most events of one record, and of what is read at once. */
const [eventsMost, readMost] = [2000, 5000];

/** How many events of such work each has about. Most have none. */
async function countWork(ctx: Ctx, some: readonly Since[], asked: Asked): Promise<Map<string, number>> {
  const isWork = isWorkSince(ctx, sql`r.since`, asked);
  const rows = await query(
    ctx,
    statement(sql`select r.id, count(*) from ${given(some)}, lateral (
        select e.id from event e where ${isWork} and e.object_id = r.id
        union select e.id from event e where ${isWork} and e.lead_id = r.id) e group by r.id`),
  );
  return new Map(rows.map(([id, count]) => [id!, Number(count)]));
}

const given = (some: readonly Since[]): Sql =>
  sql`unnest(${some.map(({ id }) => id)}::text[], ${some.map(({ since }) => since)}::text[]) r(id, since)`;

/** So many at once that their events fit. */
function partsOf<T>(all: readonly T[], sizeOf: (one: T) => number): T[][] {
  const parts: T[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const one of all) {
    if (size + sizeOf(one) > readMost) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)!.push(one);
    size += sizeOf(one);
  }
  return parts;
}

/** All events of what belongs to each or did meanwhile, so that what was moved back is seen to be where it was. */
async function workSince(ctx: Ctx, some: readonly Since[], asked: Asked): Promise<Map<string, PastEvent[]>> {
  const isWork = isWorkSince(ctx, sql`r.since`, asked);
  const rows = await query(
    ctx,
    statement(
      sql`select r.id, w.event from ${given(some)}, lateral (
        select e.id, json_build_object('id', e.id, 'request_id', e.request_id, 'object_type', e.object_type, 'object_id', e.object_id,
          'action', e.action, 'changed_fields', e.changed_fields, 'previous_data', e.previous_data, 'data', e.data, 'meta', e.meta) as event
        from event e where ${isWork}
          and e.object_id = any(array(select r.id union select e.object_id from event e where ${isWork} and e.lead_id = r.id))
        order by e.id limit ${eventsMost + 1}) w order by r.id, w.id`,
    ),
  );
  return new Map(
    [...Map.groupBy(rows, ([id]) => id!)].map(([id, own]) => [id, own.map(([, text]) => JSON.parse(text!) as PastEvent)]),
  );
}

/** The events of such work, by the alias `e`. */
function isWorkSince(ctx: Ctx, since: Sql, { requests, import_id }: Asked): Sql {
  const known = [...requests, ctx.request.id];
  const isOther = import_id === undefined ? sql`true` : sql`e.meta->>'import_id' is distinct from ${import_id}`;
  return sql`e.organization_id = ${ctx.organization_id} and e.id > ${since} and e.user_id is not null and e.request_id <> all(${known})
    and e.meta->>'automation_run_id' is null and ${isOther}
    and (e.meta->>'request_method' <> '' or e.meta->>'bulk_action_id' is not null or e.meta->>'import_id' is not null)`;
}

/** The requests that were undone, by their ids or by the name of their change set. */
async function undoneOf(ctx: Ctx, events: readonly PastEvent[]): Promise<Set<string>> {
  const undone = [...new Set(events.flatMap(({ meta }) => (meta.undoes as string | undefined) ?? []))];
  if (undone.length === 0) return new Set();
  const named = await query(
    ctx,
    statement(
      sql`select r.request_id from change_set_request r where r.organization_id = ${ctx.organization_id} and r.name = any(${undone})
        and r.request_id = any(${[...new Set(events.map(({ request_id }) => request_id))]})`,
    ),
  );
  return new Set([...undone, ...named.map(([id]) => id!)]);
}

/** Whether one record is otherwise after these events than it was before them. */
function isOtherwise(ctx: Ctx, events: readonly PastEvent[], undone: ReadonlySet<string>): boolean {
  const of = resourceOf(ctx, events.at(-1)!);
  const { wasThere, isThere } = lifeOf(events);
  // What the service notes about a change says nothing that the change itself does not.
  if (wasThere !== isThere) return of === undefined || isDeletedByHand(ctx, kindOfEvent(ctx, events.at(-1)!) ?? of);
  if (!isThere) return false;

  const { was, is } = valuesOf(events);
  if ([...was].some(([field, value]) => (of === undefined || isOwn(of, field)) && !same(value, is.get(field)))) return true;
  return membersDiffer(events.filter(isOfMembers)) || events.some((one) => isDeed(one) && !undone.has(one.request_id));
}

/** What changed no field, such as that a list was shared. */
const isDeed = (event: PastEvent): boolean =>
  event.changed_fields.length === 0 && event.action !== "deleted" && !comings.has(event.action) && !isOfMembers(event);

function membersDiffer(events: readonly PastEvent[]): boolean {
  const more = new Map<string, number>();
  for (const event of events)
    for (const id of listedIds(event)) more.set(id, (more.get(id) ?? 0) + (event.action === "member_added" ? 1 : -1));
  return [...more.values()].some((n) => n !== 0);
}
