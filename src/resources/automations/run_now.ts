// `POST /automations/{id}/run/`: starts an automation by hand, for one record or for several.
import { z } from "zod";
import { type Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { JsonText, operation } from "../../core/operation.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { wake } from "../../jobs/job.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { findAnyRecord, lockRecord, showRecord } from "../../records/records.ts";
import { automationRun } from "./automation_run.ts";
import { countStarted } from "./consume.ts";
import { recordById } from "./facts.ts";
import { type Listener, listenerById } from "./listeners.ts";
import { livingIds } from "./living_ids.ts";
import { runJobs } from "./names.ts";
import type { Occurrence } from "./occurrence.ts";
import { startRun } from "./start_run.ts";
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
    record_ids: z.array(z.string().max(64)).min(1).max(most).optional().describe("The records it runs for, each by itself."),
    input: z.record(z.string(), z.unknown()).default({}).describe("For its steps, as `trigger.payload`."),
  },
  status: 201,
  get output() {
    const run = outputSchema(automationRun);
    return (run as z.ZodObject)
      .partial()
      .extend({ run: run.optional(), runs: z.array(run), run_ids: z.array(z.string()), queued: z.int() });
  },
  async run(ctx, { id, input, record_ids, ...named }) {
    const given = Object.entries(named).filter(([, value]) => value !== undefined);
    if (given.length + (record_ids === undefined ? 0 : 1) !== 1)
      throw invalid({ record_id: "must be given, or one other way to name what it runs for, and only one" });
    const found = await lockRecord(ctx, workflow, id);
    const listener = await startable(ctx, found);

    const ids = [...new Set(record_ids ?? [given[0]![1]!])];
    const runs: string[] = [];
    for (const [i, recordId] of ids.entries())
      runs.push(await startFor(ctx, listener, recordId, input, record_ids === undefined ? given[0]![0] : `record_ids.${i}`));
    wake(ctx, runJobs, runs);
    countStarted(ctx, runs.map(() => id).slice(0, 1));
    const texts: string[] = [];
    for (const run of runs) texts.push((await showRecord(ctx, automationRun, run)).text);
    const all = `"runs":[${texts.join(",")}],"run_ids":${JSON.stringify(runs)},"queued":${runs.length}`;
    return new JsonText(record_ids === undefined ? `${texts[0]!.slice(0, -1)},"run":${texts[0]},${all}}` : `{${all}}`);
  },
});

async function startable(ctx: Ctx, { id, status }: Row<typeof workflow>): Promise<Listener> {
  const listener = status === "active" ? await listenerById(ctx, id) : null;
  if (listener === null) throw invalid({ status: `is ${status}: publish it first` });
  if (listener.trigger.byHand !== true)
    throw invalid({ trigger: `is ${listener.trigger.type}: only an automation with the trigger manual is started by hand` });
  return listener;
}

/** The id of the run. */
async function startFor(
  ctx: Ctx,
  listener: Listener,
  recordId: string,
  input: Record<string, unknown>,
  at: string,
): Promise<string> {
  const found = await findAnyRecord(ctx, recordId);
  if (found === null) throw invalid({ [at]: "does not exist" });
  const wanted = listener.plan.trigger.config.object_type;
  if (wanted != null && found.of.name !== wanted && found.kind.name !== wanted)
    throw invalid({ [at]: `is not a ${String(wanted)}, which this automation is for` });
  const occurrence = await byHand(ctx, found, recordId);
  const run = await startRun(ctx, listener, {
    kind: "manual",
    occurrence,
    ids: await livingIds(ctx, occurrence),
    input,
    causation: { depth: 1, path: [`${listener.automation_id}/${recordId}`] },
  });
  if (run === null) throw invalid({ [at]: "has a run of this automation that is not over" });
  return run.id;
}

async function byHand(ctx: Ctx, { of }: { of: Resource }, recordId: string): Promise<Occurrence> {
  const record = (await recordById(ctx, recordId))!;
  return {
    id: null,
    event: "manual.run",
    object_type: of.name,
    object_id: recordId,
    lead_id: of.name === "lead" ? recordId : ((record.lead_id as string | undefined) ?? null),
    user_id: ctx.actor.user_id,
    api_key_id: ctx.actor.api_key_id,
    record,
    previous: {},
    changed_fields: [],
    meta: {},
    at: ctx.now.toISOString(),
  };
}
