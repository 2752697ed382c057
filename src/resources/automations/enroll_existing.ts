// `enroll_existing` of publishing: an automation starts also for the records that meet its conditions already. A search finds them, so
// only conditions that a search asks exactly as a run does are taken.
import type { Ctx } from "../../core/context.ts";
import { collect, type FieldErrors } from "../../core/errors.ts";
import { type Sql, sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { bulkAutomation } from "../bulk_actions/automation.ts";
import { finalStates } from "../bulk_actions/common.ts";
import { leavesOf } from "./condition_leaves.ts";
import { isDynamic, isObject } from "./config.ts";
import type { Plan } from "./fields.ts";
import { finding, refusalWith } from "./findings.ts";
import { recordsThat } from "./searched_records.ts";
import { type Begun, manyMost, startMany } from "./start_many.ts";
import { triggerTypes } from "./trigger_types.ts";

const triggers = new Map(triggerTypes.map((one) => [one.type, one]));

/** `isNew`: the version is. Of one that was in force, only those are started that it was never for, so that a repeated request starts nothing. */
export async function enrollExisting(
  ctx: Ctx,
  { automation_id, version_id, isNew }: { automation_id: string; version_id: string; isNew: boolean },
  { trigger, filter }: Plan,
): Promise<Begun> {
  const { object_type, condition } = trigger.config;
  const of = ctx.registry.resource(String(object_type));
  const existing = triggers.get(trigger.type)?.existing?.(trigger.config) ?? null;
  if (of === undefined || existing === null)
    throw refusal({
      enroll_existing: `is not for the trigger ${trigger.type} as it is here, because records do not tell what they were before: name only what they become, use record.matches, or start it by hand`,
    });
  const trees = Object.entries({ filter, "trigger.config.condition": condition, "trigger.config": existing }).filter(isAsked);
  if (trees.length === 0) throw refusal({ enroll_existing: "needs a filter, which says for which records it starts" });

  const errors: FieldErrors = {};
  const conditions: Sql[] = [];
  for (const [at, tree] of trees) {
    const computed = computedIn(tree, at);
    Object.assign(errors, computed);
    if (Object.keys(computed).length > 0) continue;
    const found = await collect<Promise<Sql | undefined>>(errors, () => recordsThat(ctx, of, tree, at));
    if (found !== undefined) conditions.push(found);
  }
  if (Object.keys(errors).length > 0) throw refusal(errors);
  if (!isNew) {
    const begun = await underWay(ctx, automation_id);
    if (begun !== null) return begun;
    conditions.push(sql`not exists (select from automation_run r where r.organization_id = ${ctx.organization_id}
      and r.automation_id = ${automation_id} and r.version_id = ${version_id} and r.object_id = t.id)`);
  }
  return startMany(ctx, { automation_id, run_kind: "backfill", input: {} }, { of, conditions, limit: manyMost });
}

/** What an earlier request began, and is not over. */
async function underWay(ctx: Ctx, automation_id: string): Promise<Begun | null> {
  const isIt = [
    sql`t.automation_id = ${automation_id}`,
    sql`t.run_kind = 'backfill'`,
    sql`not t.status = any(${[...finalStates]})`,
  ];
  const [found] = await findRecords(ctx, bulkAutomation, isIt, sql`order by t.id limit 1`);
  return found === undefined ? null : { id: found.id, total: found.n_objects ?? 0 };
}

/** An empty tree asks nothing. */
const isAsked = (entry: [string, unknown]): entry is [string, object] => isObject(entry[1]) && Object.keys(entry[1]).length > 0;

/** Values that are only known in a run. */
const computedIn = (tree: object, at: string): FieldErrors =>
  Object.fromEntries(
    leavesOf(tree, at).flatMap(({ leaf, at: place }) =>
      Object.entries(leaf).flatMap(([key, value]) =>
        isDynamic(value) ? [[`${place}.${key}`, "cannot be searched for: give a value"]] : [],
      ),
    ),
  );

const refusal = (errors: FieldErrors): Error =>
  refusalWith(Object.entries(errors).map(([at, reason]) => finding("enroll_existing_unsupported", at, reason)));
