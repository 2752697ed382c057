// Starts an automation for one call to its address. A job of its own, because the record may have to be created: what fails there
// fails for this call alone.
import { type Ctx, query } from "../../../core/context.ts";
import { requestOf } from "../../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work } from "../../../jobs/job.ts";
import { asSystem } from "../../../records/acting.ts";
import type { Evaluation } from "../automation_event.ts";
import { recordEvaluations } from "../consume.ts";
import { type Heard, refusedBy, startFor } from "../evaluate.ts";
import { type Facts, recordById, triggerFacts, type Values } from "../facts.ts";
import { inItsName, lenderOf } from "../in_its_name.ts";
import { type Listener, listenerById } from "../listeners.ts";
import { lockSought } from "../lock_sought.ts";
import { hookJobs } from "../names.ts";
import { type Occurrence, readOccurrences } from "../occurrence.ts";
import { failureOf } from "../step_failure.ts";
import { hookTrigger } from "./hook.ts";
import { createSought, findSought, type Lookup, soughtValues } from "./lookup.ts";
import { fitsSchema } from "./payload_schema.ts";

/** A call that was received, and the automation that it is for. */
interface Call {
  event: Occurrence;
  payload: Values;
  listener: Listener;
  published_by: string | null;
}

/** After so many failures of ours the call is given up. */
const failuresMost = 8;

export const hookWork: Work = {
  ...hookJobs,
  doc: "Starts automations for calls to their addresses.",
  slots: 8,
  async run(core, job) {
    const inside = <T>(act: (ctx: Ctx) => Promise<T>) => asSystem(core, job.organization_id, requestOf(job), act);
    const call = await inside((ctx) => readCall(ctx, job));
    if (call === null)
      return inside(async (ctx) => {
        await holdClaim(ctx, job);
        release(ctx, job, null);
      });
    const { listener, published_by } = call;
    try {
      const lender = lenderOf(listener.plan.settings.run_as_user_id, published_by);
      await inItsName(core, job, [lender], (ctx) => start(ctx, job, call));
    } catch (error) {
      const code = failureOf(error)?.code ?? (job.failures >= failuresMost ? "internal" : null);
      if (code === null) throw error;
      await inside((ctx) => end(ctx, job, call, aboutNothing(call), refusedBy(listener, code)));
    }
  },
  async giveUp(ctx, job) {
    const call = await readCall(ctx, job);
    if (call !== null) await keep(ctx, call, aboutNothing(call), refusedBy(call.listener, "crashed"));
  },
};

/** Null when the automation is gone, or has another trigger now. */
async function readCall(ctx: Ctx, { object_id }: Job): Promise<Call | null> {
  const [found] = await readOccurrences(ctx, [object_id]);
  const listener = found === undefined ? null : await listenerById(ctx, found.object_id!);
  if (listener?.plan.trigger.type !== hookTrigger) return null;
  const [row] = await query(ctx, {
    name: "automation_version.publisher",
    text: "select published_by from automation_version where organization_id = $1 and id = $2",
    values: [ctx.organization_id, listener.version_id],
  });
  const { payload, headers } = found!.record as { payload: Values; headers: Values };
  return { event: { ...found!, headers }, payload, listener, published_by: row?.[0] ?? null };
}

/** A run without a record has the payload alone. */
const aboutNothing = ({ event }: Call): Occurrence => ({ ...event, object_type: null, object_id: null, record: {} });

async function start(ctx: Ctx, job: Job, call: Call): Promise<void> {
  const { record_lookup, payload_schema, create_if_missing } = call.listener.plan.trigger.config;
  await holdClaim(ctx, job);
  const refused = (reason: string) => end(ctx, job, call, aboutNothing(call), refusedBy(call.listener, reason));

  if (!fitsSchema(payload_schema, call.payload)) return refused("payload_schema");
  const heard: Heard = { kind: "webhook", input: call.payload };
  if (record_lookup == null) return evaluated(ctx, job, call, aboutNothing(call), heard);

  const lookup = record_lookup as Lookup;
  const values = soughtValues(lookup, factsOf(ctx, call));
  if (create_if_missing === true) lockSought(ctx, lookup.object_type, values);
  const id = await findSought(ctx, lookup, values);
  if (id !== null) return evaluated(ctx, job, call, await aboutRecord(ctx, call, lookup, id), heard);
  if (create_if_missing !== true) return refused("record_not_found");
  const create = async () => aboutRecord(ctx, call, lookup, await createSought(ctx, lookup, values, call.published_by));
  return evaluated(ctx, job, call, aboutNothing(call), { ...heard, create });
}

async function aboutRecord(ctx: Ctx, { event }: Call, { object_type }: Lookup, id: string): Promise<Occurrence> {
  const record = (await recordById(ctx, id)) ?? {};
  const lead_id = object_type === "lead" ? id : typeof record.lead_id === "string" ? record.lead_id : null;
  return { ...event, object_type, object_id: id, lead_id, record };
}

const factsOf = (ctx: Ctx, call: Call): Facts => ({
  trigger: triggerFacts(call.event, call.payload),
  record: null,
  steps: {},
  vars: {},
  run: {},
  org: {},
  now: ctx.now.toISOString(),
});

async function evaluated(ctx: Ctx, job: Job, call: Call, about: Occurrence, heard: Heard): Promise<void> {
  let present = about;
  const { create } = heard;
  const made = create && { create: async () => (present = await create()) };
  const evaluation = await startFor(ctx, call.listener, about, { ...heard, ...made });
  await end(ctx, job, call, present, evaluation);
}

async function end(ctx: Ctx, job: Job, call: Call, about: Occurrence, evaluation: Evaluation): Promise<void> {
  await holdClaim(ctx, job);
  await keep(ctx, call, about, evaluation);
  release(ctx, job, null);
}

const keep = (ctx: Ctx, { listener, payload }: Call, about: Occurrence, evaluation: Evaluation): Promise<void> =>
  recordEvaluations(ctx, about, [evaluation], { source: "webhook", automation_id: listener.automation_id, payload });
