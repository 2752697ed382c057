// `POST /automations/{id}/run/`: starts an automation by hand, for one record or for several.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid, notFound } from "../../core/errors.ts";
import { JsonText, operation } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { findRecords, showRecord } from "../../records/records.ts";
import { automationRun } from "./automation_run.ts";
import { countStarted } from "./count_started.ts";
import { checkSchema } from "./hooks/payload_schema.ts";
import { checkInput } from "./input_records.ts";
import { checkActing } from "./lent_rights.ts";
import { type Listener, listenerById } from "./listeners.ts";
import { runJobs } from "./names.ts";
import { checkStart } from "./reach.ts";
import { startByHand, unknownRecord } from "./start_by_hand.ts";
import { conditionOf, manyMost, startMany } from "./start_many.ts";
import { workflow } from "./workflow.ts";

const most = 1000;
const one = z.string().max(64).optional();

export const runAutomation = operation({
  name: "automations.run",
  method: "POST",
  path: "/automations/{id}/run/",
  doc: "Starts an automation by hand, for one record or for several.",
  permission: "member",
  group: "bulk",
  narrows: true,
  input: {
    id: z.string(),
    record_id: one.describe("The record it runs for."),
    lead_id: one.describe("The same, for a lead."),
    contact_id: one.describe("The same, for a contact."),
    opportunity_id: one.describe("The same, for an opportunity."),
    record_ids: z
      .array(z.string().max(64))
      .min(1)
      .max(most)
      .optional()
      .describe("The records it runs for, each by itself. Ids of no record are left out, and answered as `unknown_ids`."),
    query: z
      .union([z.string().max(10_000), z.record(z.string(), z.unknown())])
      .optional()
      .describe(
        "The records it runs for: words, a search query or a tree of conditions, among those of the trigger's `object_type`.",
      ),
    all: z.literal(true).optional().describe("It runs for all records of the trigger's `object_type`."),
    limit: z.int().min(1).max(manyMost).default(manyMost).describe("With `query` or `all`: the most records, oldest first."),
    input: z.record(z.string(), z.unknown()).default({}).describe("For its steps, as `trigger.payload`."),
  },
  status: 201,
  get output() {
    const run = outputSchema(automationRun);
    return (run as z.ZodObject).partial().extend({
      run: run.optional(),
      runs: z.array(run),
      run_ids: z.array(z.string()),
      queued: z.int(),
      unknown_ids: z.array(z.string()).optional().describe("With `record_ids`: those that name no record which you can see."),
      bulk_action: z
        .strictObject({ id: z.string(), total: z.int() })
        .optional()
        .describe("With `query` or `all`: its id is the `bulk_action_id` of the runs, which start in the background."),
    });
  },
  async run(ctx, { id, input, record_ids, query, all, limit, ...named }) {
    const given = Object.entries(named).filter(([, value]) => value !== undefined);
    const ways = [record_ids, query, all].filter((way) => way !== undefined).length;
    if (given.length + ways !== 1)
      throw invalid({ record_id: "must be given, or one other way to name what it runs for, and only one" });
    const found = await heldStill(ctx, id);
    const listener = await startable(ctx, found);
    checkActing(ctx, listener.plan.settings.run_as_user_id);
    const n = query !== undefined || all ? Math.min(limit, manyMost) : new Set(record_ids).size;
    await checkStart(ctx, found.published!.graph, n);
    checkSchema(listener.plan.trigger.config.input_schema, input, "input");
    await checkInput(ctx, listener.plan.settings, input);
    if (query !== undefined || all) return startThose(ctx, listener, { query, limit }, input);

    const ids = [...new Set(record_ids ?? [given[0]![1]!])];
    const [runs, unknown]: [string[], string[]] = [[], []];
    for (const [i, recordId] of ids.entries()) {
      const run = await startByHand(ctx, listener, recordId, { kind: "manual", input });
      if (typeof run !== "string") runs.push(run.id);
      else if (record_ids !== undefined && run === unknownRecord) unknown.push(recordId);
      else throw invalid({ [record_ids === undefined ? given[0]![0] : `record_ids.${i}`]: run });
    }
    if (runs.length === 0) throw invalid({ record_ids: "name no record that you can see" });
    wake(ctx, runJobs, runs);
    const texts: string[] = [];
    for (const run of runs) texts.push((await showRecord(ctx, automationRun, run)).text);
    // Last, because others who start it wait from here on.
    countStarted(
      ctx,
      runs.map(() => id),
    );
    const whole = `"runs":[${texts.join(",")}],"run_ids":${JSON.stringify(runs)},"queued":${runs.length}`;
    if (record_ids === undefined) return new JsonText(`${texts[0]!.slice(0, -1)},"run":${texts[0]},${whole}}`);
    return new JsonText(`{${whole},"unknown_ids":${JSON.stringify(unknown)}}`);
  },
});

/** Nobody publishes or pauses it before this transaction ends. Others may start it meanwhile. */
async function heldStill(ctx: Ctx, id: string): Promise<Row<typeof workflow>> {
  const [found] = await findRecords(ctx, workflow, [sql`t.id = ${id}`], sql`for key share of t`, "key_share_by_id");
  if (found === undefined) throw notFound();
  return found;
}

async function startable(ctx: Ctx, { id, status }: Row<typeof workflow>): Promise<Listener> {
  const listener = status === "active" ? await listenerById(ctx, id) : null;
  if (listener === null) throw invalid({ status: `is ${status}: publish it first` });
  if (listener.trigger.byHand !== true)
    throw invalid({ trigger: `is ${listener.trigger.type}: only an automation with the trigger manual is started by hand` });
  return listener;
}

/** The kind of record is that of the trigger: a search needs to know where it looks. */
async function startThose(
  ctx: Ctx,
  listener: Listener,
  { query, limit }: { query?: string | object; limit: number },
  input: object,
): Promise<JsonText> {
  const of = ctx.registry.resource(String(listener.plan.trigger.config.object_type));
  if (of === undefined)
    throw invalid({ trigger: "has no object_type: name the kind of record in its config to start it for many" });
  const conditions = query === undefined ? [] : [await conditionOf(ctx, of, query)];
  const meant = { automation_id: listener.automation_id, run_kind: "bulk", input } as const;
  const bulk = await startMany(ctx, meant, { of, conditions, limit });
  return new JsonText(JSON.stringify({ bulk_action: bulk, runs: [], run_ids: [], queued: bulk.total }));
}
