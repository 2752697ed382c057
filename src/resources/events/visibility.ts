// Who sees which events, and which ids of other records in them.
import type { Ctx } from "../../core/context.ts";
import { and, name, raw, type Sql, sql } from "../../db/sql.ts";
import { leadIsVisible } from "../leads/visibility.ts";
import { visibleAsObject } from "./as_object.ts";

/**
 * An event is visible as its record is. An event about several records, such as putting them on a list, is visible with any of
 * them.
 */
export function eventIsVisible(ctx: Ctx, alias: string): Sql | null {
  const asObject = visibleAsObject(ctx, alias);
  if (leadIsVisible(ctx, "lead") === null) return asObject;
  const listed = sql`json_each(${name(alias)}.meta) l, ${elementsOf("l.value")} e where json_typeof(l.value) = 'array'`;
  const isAny = sql`exists (select from ${listed} and ${isSeen(ctx, alias, sql`e.value #>> '{}'`)})`;
  // What another service sends to an automation belongs to no lead yet.
  const isNoCall = sql`${name(alias)}.event <> 'webhook.received'`;
  return and([isNoCall, ...(asObject === null ? [] : [asObject]), sql`(${name(alias)}.meta::text not like '%[%' or ${isAny})`]);
}

const elementsOf = (value: string): Sql =>
  sql`json_array_elements(case when json_typeof(${raw(value)}) = 'array' then ${raw(value)} else '[]' end)`;

/** The kinds whose ids `meta` shows: in lists, or in the path of a request, which may name a sequence that others cannot see. */
const namedKinds = ["lead", "contact", "sequence"];

const isSeen = (ctx: Ctx, alias: string, id: Sql): Sql =>
  sql`exists (select from (select ${name(alias)}.organization_id, ${id} as object_id) named where ${visibleAsObject(ctx, "named", namedKinds)!})`;

/** `meta` without the ids of records that the caller cannot see. */
export function metaOf(ctx: Ctx, alias: string): Sql {
  const meta = withoutMove(ctx, alias);
  if (visibleAsObject(ctx, "named", namedKinds) === null) return meta;
  const hidden = sql`array(select i.found[1] from regexp_matches(told.meta::text, '(?:lead|cont|seq)_[0-9a-z]{26}', 'g') i(found)
    where not ${isSeen(ctx, alias, sql`i.found[1]`)})`;
  const seenOf = sql`(select coalesce(json_agg(e.value), '[]') from ${elementsOf("m.value")} e where e.value #>> '{}' <> all(hidden.ids))`;
  return sql`(select case when cardinality(hidden.ids) = 0 then told.meta else
    (select coalesce(json_object_agg(m.key, case json_typeof(m.value) when 'array' then ${seenOf} else m.value end), '{}')
      from json_each(told.meta) m where json_typeof(m.value) = 'array' or m.value::text !~ array_to_string(hidden.ids, '|')) end
    from (select ${meta} as meta) told cross join lateral (select ${hidden} as ids) hidden)`;
}

/** A move names another organization. Only a member of both could move the lead. */
function withoutMove(ctx: Ctx, alias: string): Sql {
  const t = name(alias);
  return sql`(case when ${t}.user_id = ${ctx.actor.user_id} or ${t}.meta::text not like '%"moved_%' then ${t}.meta
    else (${t}.meta::jsonb - '{moved_to,moved_from}'::text[])::json end)`;
}
