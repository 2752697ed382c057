// Which files something names: what they are attached to, and records that refer to them, such as a logo.
import { type Ctx, query } from "../../core/context.ts";
import { from } from "../../core/resource.ts";
import { join, name, type Sql, sql, statement } from "../../db/sql.ts";
import { activity } from "../activities/activity.ts";
import { file } from "./file.ts";

/** Those of the files. */
export async function usedAmong(ctx: Ctx, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await query(
    ctx,
    statement(join([inActivities(ctx, ids), ...inOthers(ctx, ids), ...referred(ctx, ids)], " union ")),
  );
  return new Set(rows.map(([id]) => id!));
}

/** They are many, and have an index. */
const inActivities = (ctx: Ctx, ids: readonly string[]): Sql => sql`
  select f.id from unnest(${ids}::text[]) f(id) where exists (select from ${from(activity, "a")}
    where a.organization_id = ${ctx.organization_id} and a.attachments <> '[]'::jsonb
      and a.attachments @> jsonb_build_array(jsonb_build_object('file_id', f.id)))`;

function inOthers(ctx: Ctx, ids: readonly string[]): Sql[] {
  const tables = ctx.registry.resources.flatMap(({ table, columns }) =>
    columns.some(([key]) => key === "attachments") ? [table] : [],
  );
  return [...new Set(tables)]
    .filter((table) => table !== activity.table)
    .map(
      (table) => sql`
        select x->>'file_id' from ${name(table)} t, jsonb_array_elements(t.attachments) x
        where t.organization_id = ${ctx.organization_id} and t.attachments <> '[]'::jsonb and x->>'file_id' = any(${ids})`,
    );
}

const referred = (ctx: Ctx, ids: readonly string[]): Sql[] =>
  ctx.registry
    .pointersTo(file.name)
    .filter(({ rule }) => rule.onDelete === "clear")
    .map(
      ({ from: holder, field }) => sql`
        select t.${name(field)} from ${from(holder, "t")} where t.organization_id = ${ctx.organization_id} and t.${name(field)} = any(${ids})`,
    );
