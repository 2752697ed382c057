// How far the steps of an automation reach, for who puts it in force or starts it: whether they delete, and whether they speak to people
// or to other services. Who may not do that by a request does not have it done by an automation either.
import { type Ctx, query } from "../../core/context.ts";
import { Problem } from "../../core/errors.ts";
import { whyUnattended } from "../../records/unattended.ts";
import { notByConnection } from "../shared/not_by_connection.ts";
import type { Graph } from "./graph_shape.ts";
import { stepTypesByName } from "./step_types.ts";

interface Reach {
  deletes: boolean;
  speaks: boolean;
}

/** With that of all automations which it starts. One that is named only when it runs may be any. */
export async function reachOf(ctx: Ctx, graph: Graph): Promise<Reach> {
  const reach = { deletes: false, speaks: false };
  const seen = new Set<string>();
  for (const open = [graph]; open.length > 0; ) {
    for (const { type, config } of Object.values(open.pop()!.steps)) {
      const of = stepTypesByName.get(type);
      const child = of?.starts?.(config);
      if (of?.side_effect === "destructive" || (child !== undefined && typeof child !== "string")) reach.deletes = true;
      const speaks = typeof of?.speaks === "function" ? of.speaks(config) : of?.speaks;
      if (speaks === true || (child !== undefined && typeof child !== "string")) reach.speaks = true;
      if (typeof child !== "string" || seen.has(child)) continue;
      seen.add(child);
      open.push(...(await graphInForce(ctx, child)));
    }
  }
  return reach;
}

async function graphInForce(ctx: Ctx, id: string): Promise<Graph[]> {
  const rows = await query(ctx, {
    name: "automation_version.graph_in_force",
    text: `select v.graph from automation a join automation_version v on v.organization_id = $1 and v.id = a.active_version_id
           where a.organization_id = $1 and a.id = $2`,
    values: [ctx.organization_id, id],
  });
  return rows.map(([graph]) => JSON.parse(graph!) as Graph);
}

const mayDelete = (ctx: Ctx): boolean => ctx.actor.scopes.has("write_destructive");

/** To put it in force. A connection lets it call no other service, which would go on when the connection has ended. */
export async function checkForce(ctx: Ctx, graph: Graph): Promise<void> {
  const calls = Object.values(graph.steps).some(({ type }) => calling(type));
  if (calls) notByConnection(ctx);
  await checkDeletes(ctx, graph);
}

const calling = (type: string): boolean => {
  const of = stepTypesByName.get(type);
  return of?.outside !== undefined && of.speaks === true;
};

/** Whoever puts it in force, or has it done, needs the scope of deleting where it deletes. */
async function checkDeletes(ctx: Ctx, graph: Graph): Promise<void> {
  if (!mayDelete(ctx) && (await reachOf(ctx, graph)).deletes)
    throw new Problem(403, "It deletes records, or may: to start it needs the scope write_destructive.");
}

const [manyFrom, many] = [20, "what is done for many at once"];

/** To start it for so many records by hand. What only changes records of the workspace, and few, is like changing them. */
export async function checkStart(ctx: Ctx, graph: Graph, n: number): Promise<void> {
  await checkDeletes(ctx, graph);
  const refusal = whyUnattended(ctx);
  if (refusal === null) return;
  const { deletes, speaks } = await reachOf(ctx, graph);
  const isMany = ctx.request.byTool === true && !mayDelete(ctx) && n > manyFrom;
  if (!deletes && !speaks && !isMany) return;
  const what = deletes ? "what deletes" : speaks ? "what sends, or calls another service," : many;
  throw new Problem(403, `${refusal} This would start ${what}.`);
}

/** To carry out what nobody has put in force. */
export async function checkCarryingOut(ctx: Ctx, graph: Graph): Promise<void> {
  const refusal = whyUnattended(ctx);
  if (refusal !== null) throw new Problem(403, refusal);
  await checkDeletes(ctx, graph);
}
