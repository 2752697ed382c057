// Finds what a change set did: the events of its requests, and what they deleted. The newest request comes first.
import { type Ctx, may, query, search } from "../../core/context.ts";
import { invalid, Problem } from "../../core/errors.ts";
import { type Sql, sql, statement } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import type { Removal } from "../../records/removal_notes.ts";
import { firstIdAt, isId, madeAt } from "../../values/id.ts";
import { automationRun } from "../automations/automation_run.ts";
import { eventIsVisible } from "../events/visibility.ts";

export interface PastEvent {
  id: string;
  request_id: string;
  object_type: string;
  object_id: string;
  action: string;
  changed_fields: string[];
  /** What changed, before. */
  previous_data: Record<string, unknown>;
  /** The record after the change. */
  data: Record<string, unknown>;
  meta: Record<string, unknown>;
}

/** What one request did. */
export interface PastRequest {
  /** In their order. */
  events: PastEvent[];
  /** Null where nothing was deleted, or it is not kept. */
  removal: Removal | null;
}

/** Throws a 404 for what changed nothing here, or was done by somebody else and the caller is no admin. */
export async function changesOf(ctx: Ctx, id: string): Promise<PastRequest[]> {
  const events = isId("arun", id) ? await eventsOfRun(ctx, id) : await eventsOf(ctx, id);
  if (events.length === 0) throw nothingThere();
  const byRequest = Map.groupBy(events, ({ request_id }) => request_id);
  const removals = await removalsOf(ctx, [...byRequest.keys()]);
  return [...byRequest].map(([one, all]) => ({ events: all, removal: removals.get(one) ?? null })).reverse();
}

const nothingThere = () =>
  new Problem(
    404,
    "Not Found: no change of yours that can be undone has this id or name. Settings, folders and rules of the inbox, types of files, notifications and the administration have no events, and are changed back by hand.",
  );

async function eventsOf(ctx: Ctx, id: string): Promise<PastEvent[]> {
  const requests = isId("req", id) ? [id] : await requestsNamed(ctx, id);
  return requests.length === 0 ? [] : eventsWhere(ctx, ofRequests(requests));
}

/** The caller's own set of this name; for an admin, also the one of somebody else. */
async function requestsNamed(ctx: Ctx, name: string): Promise<string[]> {
  const rows = await search(
    ctx,
    statement(
      sql`select r.request_id, r.user_id from change_set_request r
        where r.organization_id = ${ctx.organization_id} and r.name = ${name} limit ${requestsMost + 1}`,
    ),
  );
  if (rows.length > requestsMost) throw tooMany("requests", requestsMost);
  const byUser = Map.groupBy(rows, ([, user]) => user!);
  const own = byUser.get(ctx.actor.user_id);
  if (own === undefined && byUser.size > 1)
    throw invalid({ id: "is a name that several members used: undo the requests one by one, the newest first" });
  return (own ?? rows).map(([request]) => request!);
}

const requestsMost = 1000;
const eventsMost = 2000;

const tooMany = (what: string, most: number) =>
  invalid({ id: `has more than ${most} ${what}: undo its requests one by one, the newest first` });

/** A request runs for less than this. The ids of events tell when they were written. */
const requestMostMs = 60 * 60 * 1000;

function ofRequests(ids: readonly string[]): Sql {
  const began = ids.map((id) => madeAt("req", id)?.getTime() ?? 0);
  const [from, to] = [Math.min(...began) - 60_000, Math.max(...began) + requestMostMs].map((ms) => firstIdAt("ev", new Date(ms)));
  return sql`past.request_id = any(${ids}) and past.id >= ${from!} and past.id < ${to!}`;
}

/** Automations act in somebody's name, who may undo it. So may an admin. */
async function eventsOfRun(ctx: Ctx, id: string): Promise<PastEvent[]> {
  const [run] = await findRecords(ctx, automationRun, [sql`t.id = ${id}`]);
  if (run === undefined) throw nothingThere();
  const from = firstIdAt("ev", new Date(Date.parse(run.date_created) - 60_000));
  const about = run.lead_id === null ? sql`past.object_id = ${run.object_id}` : sql`past.lead_id = ${run.lead_id}`;
  return eventsWhere(ctx, sql`${about} and past.id >= ${from} and past.meta->>'automation_run_id' = ${id}`);
}

async function eventsWhere(ctx: Ctx, condition: Sql): Promise<PastEvent[]> {
  const seen = eventIsVisible(ctx, "past") ?? sql`true`;
  const mine = may(ctx, "manage_organization") ? sql`true` : sql`past.user_id = ${ctx.actor.user_id}`;
  const rows = await query(
    ctx,
    statement(
      sql`select json_build_object('id', past.id, 'request_id', past.request_id, 'object_type', past.object_type, 'object_id', past.object_id,
          'action', past.action, 'changed_fields', past.changed_fields, 'previous_data', past.previous_data, 'data', past.data, 'meta', past.meta)
        from event past where past.organization_id = ${ctx.organization_id} and ${condition} and ${mine} and ${seen} order by past.id limit ${eventsMost + 1}`,
    ),
  );
  if (rows.length > eventsMost) throw tooMany("changes", eventsMost);
  return rows.map(([text]) => JSON.parse(text!) as PastEvent);
}

async function removalsOf(ctx: Ctx, requests: readonly string[]): Promise<Map<string, Removal>> {
  const rows = await query(
    ctx,
    statement(
      sql`select k.request_id, k.kept from kept_removal k where k.organization_id = ${ctx.organization_id} and k.request_id = any(${requests})`,
    ),
  );
  return new Map(rows.map(([id, kept]) => [id!, JSON.parse(kept!) as Removal]));
}
