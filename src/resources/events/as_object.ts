// Who sees rows that name a record by its id, such as events and notifications: everybody who sees that record. The rules come
// from the resource definitions. A deleted record counts as it was when it was deleted, and so does a lead that was deleted with
// it.
import { type Ctx, may } from "../../core/context.ts";
import type { ColumnType, Field } from "../../core/field.ts";
import type { Registry } from "../../core/registry.ts";
import { from, type Resource } from "../../core/resource.ts";
import { join, name, or, raw, type Sql, sql } from "../../db/sql.ts";
import { lead } from "../leads/lead.ts";

type Rule = NonNullable<Resource["visible"]>;

/** For rows with an `object_id`. Null when all of them may be seen. With `only`, other kinds are not checked. */
export function visibleAsObject(ctx: Ctx, alias: string, only?: readonly string[]): Sql | null {
  const t = name(alias);
  const asked = (of: Resource) => only?.includes(of.name) ?? true;
  const closed = kindsIn(ctx.registry).filter((of) => asked(of) && !mayRead(ctx, of));
  const ruled = [...byRule(ctx.registry)]
    .map(([rule, kinds]) => [rule, kinds.filter(asked)] as const)
    .filter(([rule, kinds]) => kinds.length > 0 && rule(ctx, "record") !== null);
  const cases = closed.length === 0 ? [] : [sql`when ${isOneOf(closed, t)} then false`];
  if (ruled.length > 0) {
    const each = (condition: (rule: Rule, kinds: readonly Resource[]) => Sql): Sql =>
      sql`case ${join(
        ruled.map(([rule, kinds]) => sql`when ${isOneOf(kinds, t)} then ${condition(rule, kinds)}`),
        " ",
      )} end`;
    const isSeen = each((rule, kinds) => seen(ctx, rule(ctx, "record")!, kinds, t));
    const wasSeen = each((rule, [of]) => seenLast(rule(ctx, "gone")!, of!, "gone", "deletion"));
    cases.push(
      sql`when ${isOneOf(
        ruled.flatMap(([, kinds]) => kinds),
        t,
      )} then coalesce(${isSeen}, ${deletedAs(ctx, wasSeen, t)})`,
    );
  }
  return cases.length === 0 ? null : sql`(case ${join(cases, " ")} else true end)`;
}

/** Whether the caller's permissions alone let them see the events of this object, so that no event needs a check of its own. */
export function isForAll(ctx: Ctx, objectId: string): boolean {
  const kinds = kindsIn(ctx.registry).filter(({ prefix }) => objectId.startsWith(`${prefix}_`));
  return (
    visibleAsObject(
      ctx,
      "t",
      kinds.map((of) => of.name),
    ) === null
  );
}

/** The kinds of record that have events. Those that share a table share their ids as well. */
const kindsIn = (registry: Registry): Resource[] =>
  registry.resources.filter((one) => one.event !== null && one.only === undefined);

const grouped = new WeakMap<Registry, Map<Rule, Resource[]>>();

/** Kinds with the same rule are checked together, because a plan for each would take longer than everything else. */
function byRule(registry: Registry): Map<Rule, Resource[]> {
  let groups = grouped.get(registry);
  if (groups !== undefined) return groups;
  grouped.set(registry, (groups = new Map()));
  for (const of of kindsIn(registry)) {
    const rule = of.known ?? of.visible;
    if (rule !== undefined) groups.set(rule, [...(groups.get(rule) ?? []), of]);
  }
  return groups;
}

function mayRead(ctx: Ctx, of: Resource): boolean {
  const reads = ctx.registry.operations.filter((one) => one.resource === of && (one.verb === "get" || one.verb === "list"));
  return reads.length === 0 || reads.some(({ permission }) => permission === "member" || may(ctx, permission));
}

const isOneOf = (kinds: readonly Resource[], t: Sql): Sql => or(kinds.map(({ prefix }) => isA(prefix, t)));

const isA = (prefix: string, t: Sql): Sql => sql`starts_with(${t}.object_id, ${raw(`'${prefix}_'`)})`;

/** Null when the record no longer exists. */
function seen(ctx: Ctx, condition: Sql, kinds: readonly Resource[], t: Sql): Sql {
  const columns = join(
    columnsIn(condition, "record").map((key) => sql`r.${name(key)}`),
    ", ",
  );
  const records = kinds.map(
    (of) => sql`select ${columns} from ${from(of, "r")}
      where ${isA(of.prefix, t)} and r.organization_id = ${ctx.organization_id} and r.id = ${t}.object_id`,
  );
  return sql`(select (${condition}) is true from (${join(records, " union all ")}) record)`;
}

/** The columns of an alias that a condition uses. */
const columnsIn = (condition: Sql, alias: string): string[] => [
  ...new Set([...condition.sql.matchAll(new RegExp(`\\b${alias}\\.(\\w+)`, "g"))].map(([, key]) => key!)),
];

/** Records that were visible when they were deleted, or that were deleted with a visible lead. */
function deletedAs(ctx: Ctx, wasSeen: Sql, t: Sql): Sql {
  const leadRule = lead.visible!(ctx, "gone");
  const wentAlong =
    leadRule === null
      ? raw("false")
      : sql`exists (select from event lead_deletion where lead_deletion.organization_id = ${ctx.organization_id}
          and lead_deletion.object_id = deletion.lead_id and lead_deletion.action = 'deleted' and ${seenLast(leadRule, lead, "gone", "lead_deletion")}
          and not exists (select from lead where lead.organization_id = ${ctx.organization_id} and lead.id = deletion.lead_id))`;
  return sql`exists (select from event deletion where deletion.organization_id = ${ctx.organization_id}
    and deletion.object_id = ${t}.object_id and deletion.action = 'deleted' and (${wasSeen} or ${wentAlong}))`;
}

const casts: Partial<Record<ColumnType, string>> = { text: "text", boolean: "boolean", timestamp: "timestamptz" };

/** Applies a condition to a record as its `deleted` event shows it. There, custom values are beside the fields. */
function seenLast(condition: Sql, of: Resource, alias: string, deletion: string): Sql {
  const d = name(deletion);
  const values = columnsIn(condition, alias).map((key) => {
    if (key === "organization_id") return sql`${d}.organization_id`;
    if (key === "custom") return sql`${d}.previous_data::jsonb as custom`;
    const cast = casts[(of.fields[key] as Field).type];
    if (cast === undefined) throw new Error(`${of.name}: its rule asks for ${key}, which no deletion shows`);
    return sql`(${d}.previous_data->>${raw(`'${key}'`)})::${raw(cast)} as ${name(key)}`;
  });
  return sql`(select (${condition}) is true from (select ${join(values, ", ")}) ${name(alias)})`;
}
