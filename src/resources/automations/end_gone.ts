// Records are deleted: the runs that wait for them are over at once, and not when their time comes, unless what they would still do
// does not read the record.
import { type Ctx, query } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import type { LogEntry } from "../../jobs/consumer.ts";
import { lockWhere } from "../../records/references.ts";
import { automationRun } from "./automation_run.ts";
import { recordById } from "./facts.ts";
import type { Graph } from "./graph_shape.ts";
import { endNow } from "./living_runs.ts";
import { isDeletion } from "./occurrence.ts";
import { anyReadsRecord } from "./reads_record.ts";

type Run = Row<typeof automationRun>;

/** In the transaction of the consumer, whose rights are those of the service. */
export async function endRunsOfGone(ctx: Ctx, events: readonly LogEntry[]): Promise<void> {
  const ids = [...new Set(events.filter(isDeletion).map(({ object_id }) => object_id))];
  if (ids.length === 0) return;
  const waiting = sql`t.object_id = any(${ids}) and t.status in ('waiting', 'held') and t.started_by->>'event' not like '%.deleted'`;
  const runs = await lockWhere(ctx, automationRun, waiting);
  const graphs = await graphsOf(ctx, runs);
  for (const run of runs) {
    const graph = graphs.get(run.version_id ?? "");
    if (graph !== undefined && !anyReadsRecord(graph, stepsLeft(graph, run))) continue;
    // What was deleted may have been brought back since.
    if ((await recordById(ctx, run.object_id!)) !== null) continue;
    await endNow(ctx, run, { status: "exited", status_reason: "record_deleted" }, "completed");
  }
}

/** Of a step that has begun to wait nothing is left but its ports. */
function stepsLeft({ steps }: Graph, { current_step_id, wait }: Run): (string | null)[] {
  const isUndone = wait === null || ["retry", "window", "condition"].includes(String(wait.kind));
  const ports = Object.values(steps[current_step_id ?? ""]?.ports ?? {});
  return isUndone ? [current_step_id] : ports;
}

async function graphsOf(ctx: Ctx, runs: readonly Run[]): Promise<Map<string, Graph>> {
  if (runs.length === 0) return new Map();
  const rows = await query(ctx, {
    name: "automation_version.graphs",
    text: "select id, graph from automation_version where organization_id = $1 and id = any($2)",
    values: [ctx.organization_id, [...new Set(runs.map(({ version_id }) => version_id))]],
  });
  return new Map(rows.map(([id, graph]) => [id!, JSON.parse(graph!) as Graph]));
}
