// Starts an automation for many records, by a bulk action that covers them as they are found now: by hand, or by publishing it for the
// records that are there already.
import type { Ctx } from "../../core/context.ts";
import { below, invalid } from "../../core/errors.ts";
import { from, type Resource, scope } from "../../core/resource.ts";
import { and, type Sql, sql } from "../../db/sql.ts";
import { bulkAutomation } from "../bulk_actions/automation.ts";
import { begin } from "../bulk_actions/begin.ts";
import { recordsThat } from "./searched_records.ts";

export const manyMost = 50_000;

/** The records of a kind that meet all conditions, on the alias `t`. */
export interface Selection {
  of: Resource;
  conditions: readonly Sql[];
  limit: number;
}

interface Meant {
  automation_id: string;
  run_kind: "bulk" | "backfill";
  input: object;
}

/** The bulk action, whose id is the `bulk_action_id` of its runs. */
export interface Begun {
  id: string;
  total: number;
}

export async function startMany(ctx: Ctx, meant: Meant, { of, conditions, limit }: Selection): Promise<Begun> {
  const lead = of.name === "lead" ? sql`t.id` : of.fields.lead_id === undefined ? sql`null` : sql`t.lead_id`;
  const row = await begin(
    ctx,
    bulkAutomation,
    { ...meant, object_type: of.name },
    sql`select t.id, ${lead} as lead_id, row_number() over (order by t.id) as ord from ${from(of, "t")}
      where ${and([...scope(ctx, of), ...conditions])} order by ord limit ${limit}`,
  );
  return { id: row.id, total: row.n_objects! };
}

/** What a search asks, by its words or its tree. */
export async function conditionOf(ctx: Ctx, of: Resource, sought: string | object): Promise<Sql> {
  if (typeof sought !== "string") return recordsThat(ctx, of, sought, "query");
  const words = of.filters?.query;
  if (words === undefined) throw invalid({ query: `must be a tree of conditions: a ${of.name} is not found by words` });
  return below("query", () => words.sql(ctx, sought, "t"));
}
