// Whether conditions hold: the tree here, the leaves by their declarations.
import type { Ctx } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { find } from "../../search/find.ts";
import { readQuery } from "../../search/nodes.ts";
import { conditionTypes } from "./condition_types.ts";
import type { Asked } from "./conditions/condition.ts";
import { isQuery } from "./conditions.ts";
import { isObject } from "./config.ts";
import type { Facts } from "./facts.ts";
import { filledConfig } from "./filled_config.ts";
import { StepFailure } from "./step_failure.ts";
import { type Trace, trace } from "./trace.ts";

const catalog = new Map(conditionTypes.map((one) => [one.type, one]));

/** Whether a tree of `all`, `any`, `not` and leaves holds. An empty tree does. */
export async function holds(node: unknown, asked: Asked): Promise<boolean> {
  if (!isObject(node) || Object.keys(node).length === 0) return true;
  if (Array.isArray(node.all)) return !(await isAny(node.all, asked, false));
  if (Array.isArray(node.any)) return isAny(node.any, asked, true);
  if (node.not !== undefined) return !(await holds(node.not, asked));
  const of = catalog.get(String(node.type));
  if (of === undefined) throw new StepFailure("condition_unknown", "config", `There is no condition ${String(node.type)}`);
  const leaf = filledConfig(of, node, asked.facts);
  if (asked.trace === undefined) return of.meets(leaf, asked);
  let actual: unknown = null;
  const result = await of.meets(leaf, { ...asked, found: (value) => void (actual = value ?? null) });
  trace(asked.trace, leaf, actual, result);
  return result;
}

/** Whether one of them holds, or does not. The others are not looked at, because a condition may read. */
async function isAny(nodes: readonly unknown[], asked: Asked, wanted: boolean): Promise<boolean> {
  for (const one of nodes) if ((await holds(one, asked)) === wanted) return true;
  return false;
}

/** With a list, what the conditions find is added to it. */
export const askedOf = (ctx: Ctx, facts: Facts, into?: Trace): Asked => ({
  ctx,
  facts,
  now: ctx.now,
  trace: into,
  holdsOf: (record, node) => holds(node, askedOf(ctx, { ...facts, record })),
});

/** The filter of an automation: a tree of conditions, or a search query that must find the record. */
export async function passesFilter(
  ctx: Ctx,
  filter: object | null,
  facts: Facts,
  objectType: string | null,
  into: Trace = [],
): Promise<boolean> {
  if (filter === null) return true;
  if (!isQuery(filter)) return holds(filter, askedOf(ctx, facts, into));
  const isFound = await isFoundBy(ctx, filter, facts, objectType);
  trace(into, { type: "filter", value: filter }, null, isFound);
  return isFound;
}

async function isFoundBy(ctx: Ctx, filter: object, facts: Facts, objectType: string | null): Promise<boolean> {
  const of = objectType === null ? undefined : ctx.registry.resource(objectType);
  const { query } = readQuery(filter, "filter");
  if (of === undefined || query === null || facts.record === null) return false;
  const { condition } = await find(ctx, of, query);
  return (await findRecords(ctx, of, [sql`t.id = ${facts.record.id}`, condition])).length > 0;
}
