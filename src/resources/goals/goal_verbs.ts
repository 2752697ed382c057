// The verbs of goals. There is one goal for each period and member; creating it again updates it.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { hint } from "../../values/reasons.ts";
import { metrics } from "../reports/activity_metrics.ts";
import { goal } from "./goal.ts";

type Goal = Row<typeof goal>;

/** Returns 201 for a new goal and 200 for an existing one. */
export async function setGoal(ctx: Ctx, { amount, target_value, ...given }: Create<typeof goal>): Promise<Goal> {
  checkMetrics(given.targets ?? {});
  const values = { ...given, target: targetOf({ target: given.target, amount, target_value }) };
  const made = await store.insertNew(ctx, goal, values);
  if (made !== null) return made;

  const [before] = await lockWhere(
    ctx,
    goal,
    sql`t.period = ${given.period} and t.user_id is not distinct from ${given.user_id ?? null}`,
  );
  if (before === undefined) throw invalid({ period: "was changed by another request at the same time: try again" });
  ctx.reply.status = 200;
  return store.update(ctx, goal, before, values);
}

function checkMetrics(targets: Record<string, number>): void {
  const known = metrics.map(({ key }) => key);
  const unknown = Object.keys(targets).filter((key) => !known.includes(key));
  const reason = (key: string) => `is not a metric of GET /report/activity/${hint(key, known)}`;
  if (unknown.length > 0) throw invalid(Object.fromEntries(unknown.map((key) => [`targets.${key}`, reason(key)])));
}

/** The target, under any of its names. */
function targetOf(given: Record<"target" | "amount" | "target_value", number | null | undefined>): number {
  const [first, ...others] = Object.entries(given).filter(([, value]) => value !== undefined);
  if (first === undefined) throw invalid({ target: "is required" });
  const [place, value] = first;
  if (value === null) throw invalid({ [place]: "must not be null" });
  for (const [other, wanted] of others) if (wanted !== value) throw invalid({ [other]: `differs from ${place}` });
  return value!;
}
