// `POST /automations/{id}/replay/`: what was stored of an event goes through the draft of an automation once more.
import { z } from "zod";
import { type Ctx, may, userOf } from "../../core/context.ts";
import { invalid, notAllowed } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { systemActor } from "../../records/acting.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { findRecords, lockRecord, showRecord } from "../../records/records.ts";
import { recordWith } from "../../records/single.ts";
import { store } from "../../records/store.ts";
import { automationRun } from "./automation_run.ts";
import { automationVersion } from "./automation_version.ts";
import { countStarted } from "./count_started.ts";
import { failingPart } from "./evaluate.ts";
import type { Plan } from "./fields.ts";
import { refuseFindings } from "./findings.ts";
import { checkLending } from "./lent_rights.ts";
import { livingIds } from "./living_ids.ts";
import { runJobs } from "./names.ts";
import { problemsOfPublishing } from "./publishable.ts";
import { checkCarryingOut } from "./reach.ts";
import { newRun } from "./start_run.ts";
import { isOfRights } from "./step_rights.ts";
import { found, type Trace } from "./trace.ts";
import { startsWith, storedEvent } from "./what_starts.ts";
import { workflow } from "./workflow.ts";

type Workflow = Row<typeof workflow>;

export const replayAutomation = operation({
  name: "automations.replay",
  method: "POST",
  path: "/automations/{id}/replay/",
  doc: "Runs the draft of an automation for a stored event. By default its effects are left out.",
  permission: "member",
  group: "bulk",
  narrows: true,
  input: {
    id: z.string(),
    event_id: z.string().max(64).describe("The event, as `/event/` or `/automation_events/` lists it."),
    effects: z
      .enum(["stub", "execute"])
      .optional()
      .describe("`stub`, the default: steps with effects write and send nothing. `execute` needs the right to publish."),
    dry_run: z.boolean().optional().describe("True is `stub`, false is `execute`."),
  },
  status: 201,
  get output() {
    return (outputSchema(automationRun) as z.ZodObject).extend({
      matched: z.boolean().describe("Whether its filter holds for the event; if not, the run is `skipped`."),
      evaluation: z.array(found).describe("What the conditions of its filter and its trigger found."),
    });
  },
  async run(ctx, { id, event_id, effects, dry_run }) {
    const isStubbed = effectsOf(effects, dry_run) === "stub";
    if (!isStubbed && !may(ctx, "manage_email_sequences")) throw notAllowed("manage_email_sequences");
    const automation = await lockRecord(ctx, workflow, id);
    const { trigger, filter, graph, settings } = automation;
    const plan: Plan = { trigger, filter, graph, settings };
    if (!isStubbed) await checkCarryingOut(ctx, graph);
    // Who sees everything may try out what others made, without its effects.
    if (!isStubbed || !may(ctx, "view_all_leads")) checkLending(ctx, settings.run_as_user_id);
    const occurrence = await storedEvent(ctx, event_id);
    if (!startsWith(plan, occurrence)) throw invalid({ event_id: `is ${occurrence.event}, which its trigger is not about` });
    const author = settings.run_as_user_id ?? ctx.actor.user_id;
    const wrong = (await problemsOfPublishing(ctx, plan, author)).filter((one) => !isStubbed || !isOfRights(one));
    refuseFindings(wrong);

    const evaluation: Trace = [];
    const asService = { ...ctx, actor: systemActor(ctx.organization_id) };
    const eyes = may(ctx, "view_all_leads") ? asService : ctx;
    const failing = await failingPart(eyes, plan, occurrence, occurrence.payload ?? {}, evaluation);
    const ids = await livingIds(asService, occurrence);
    const causation = { depth: 1, path: [`${id}/${occurrence.object_id}`] };
    const of = { automation_id: id, generation: 2, plan, ...(await versionOf(ctx, automation, plan)) };
    const run = store.insert(ctx, automationRun, {
      ...newRun(of, { kind: "replay", occurrence, ids, input: occurrence.payload ?? {}, causation }),
      is_replay: true,
      is_test: isStubbed,
      ...(failing !== null && { status: "skipped", status_reason: failing.reason, finished_at: ctx.now.toISOString() }),
    });
    if (failing === null) wake(ctx, runJobs, [run.id]);
    if (failing === null && !isStubbed) countStarted(ctx, [id]);
    const shown = await showRecord(ctx, automationRun, run.id);
    return recordWith(shown, `,"matched":${failing === null},"evaluation":${JSON.stringify(evaluation)}`);
  },
});

function effectsOf(effects: "stub" | "execute" | undefined, dryRun: boolean | undefined): "stub" | "execute" {
  const meant = dryRun === undefined ? undefined : dryRun ? "stub" : "execute";
  if (effects !== undefined && meant !== undefined && effects !== meant)
    throw invalid({ dry_run: `contradicts effects, which is ${effects}` });
  return effects ?? meant ?? "stub";
}

/** The version in force if the draft is the same, else the draft as an unnumbered version. A draft is kept once for each member who replays it. */
async function versionOf(
  ctx: Ctx,
  automation: Workflow,
  plan: Plan,
): Promise<{ version_id: string; version_number: number | null }> {
  const { trigger, filter, graph, settings } = plan;
  const [same] = await findRecords(
    ctx,
    automationVersion,
    [
      sql`t.automation_id = ${automation.id} and (t.is_active or (t.number is null and t.published_by = ${ctx.actor.user_id}))`,
      sql`t.trigger = ${JSON.stringify(trigger)}::jsonb and t.filter is not distinct from ${filter === null ? null : JSON.stringify(filter)}::jsonb`,
      sql`t.graph = ${JSON.stringify(graph)}::jsonb and t.settings = ${JSON.stringify(settings)}::jsonb`,
    ],
    sql`order by t.is_active desc limit 1`,
  );
  const version =
    same ??
    store.insert(ctx, automationVersion, {
      ...plan,
      automation_id: automation.id,
      number: null,
      is_active: false,
      published_by: userOf(ctx),
    });
  return { version_id: version.id, version_number: version.number };
}
