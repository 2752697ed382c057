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

/** What a member did beside what is taken back. What follows by itself is no work, and neither is what was undone. */
export async function isWorkedWithSince(ctx: Ctx, id: string, since: string, asked: Asked): Promise<boolean> {
  const events = await workSince(ctx, id, since, asked);
  if (events.length > eventsMost) return true;
  const undone = await undoneOf(ctx, events);
  const byRecord = Map.groupBy(events, ({ object_id }) => object_id);
  return [...byRecord.values()].some((some) => isOtherwise(ctx, some, undone));
}

const eventsMost = 2000;

/** All events of what belongs to it or did meanwhile, so that what was moved back is seen to be where it was. */
async function workSince(ctx: Ctx, id: string, since: string, asked: Asked): Promise<PastEvent[]> {
  const isWork = isWorkSince(ctx, since, asked);
  const rows = await query(
    ctx,
    statement(
      sql`select json_build_object('id', e.id, 'request_id', e.request_id, 'object_type', e.object_type, 'object_id', e.object_id,
          'action', e.action, 'changed_fields', e.changed_fields, 'previous_data', e.previous_data, 'data', e.data, 'meta', e.meta)
        from event e where ${isWork}
          and e.object_id = any(array(select ${id} union select e.object_id from event e where ${isWork} and e.lead_id = ${id}))
        order by e.id limit ${eventsMost + 1}`,
    ),
  );
  return rows.map(([text]) => JSON.parse(text!) as PastEvent);
}

/** The events of such work, by the alias `e`. */
export function isWorkSince(ctx: Ctx, since: string, { requests, import_id }: Asked): Sql {
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
