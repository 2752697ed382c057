// `POST /automations/{id}/publish/`: puts the draft of a workflow in force as a new version that never changes, or a paused one
// again.
import { z } from "zod";
import { type Ctx, userOf, write } from "../../core/context.ts";
import { JsonText, operation } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { follow } from "../../jobs/consumer.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { lockRecord, showRecord } from "../../records/records.ts";
import { recordWith } from "../../records/single.ts";
import { store } from "../../records/store.ts";
import { newId } from "../../values/id.ts";
import { same } from "../../values/same.ts";
import { automationVersion } from "./automation_version.ts";
import { closedCircuit } from "./circuit.ts";
import { armClock } from "./clock/arm.ts";
import { doubtsOf } from "./doubts.ts";
import { enrollExisting } from "./enroll_existing.ts";
import type { Plan } from "./fields.ts";
import { finding, isWarning, refuseFindings, shownFinding } from "./findings.ts";
import { hookTrigger, type NewHook, newHook, shownHook, warningsOfHook } from "./hooks/hook.ts";
import { addHook, workflowAlone } from "./hooks/show_hook.ts";
import type { Verification } from "./hooks/verification.ts";
import { isLent } from "./in_its_name.ts";
import { checkActing, checkLending } from "./lent_rights.ts";
import { cancelRuns, mendRuns, resumeRuns } from "./living_runs.ts";
import { automationNews } from "./names.ts";
import { problemsOfGoingLive } from "./publishable.ts";
import { checkForce } from "./reach.ts";
import { semanticsOf } from "./semantics.ts";
import { type Begun, manyMost } from "./start_many.ts";
import { workflow } from "./workflow.ts";

type Workflow = Row<typeof workflow>;

export const publishAutomation = operation({
  name: "automations.publish",
  method: "POST",
  path: "/automations/{id}/publish/",
  doc: "Puts the draft of an automation in force as a new version. Without changes, a paused one goes on with its version.",
  permission: "manage_email_sequences",
  narrows: true,
  input: {
    id: z.string(),
    if_revision: z.int().optional().describe("The `draft.revision` that is meant. Another one is refused."),
    change_note: z.string().max(10_000).optional().describe("A note for the version."),
    note: z.string().max(10_000).optional().describe("The same as `change_note`."),
    in_flight: z
      .enum(["finish", "cancel"])
      .default("finish")
      .describe(
        "What runs of earlier versions do: they finish, or they are cancelled. Those that a failure holds go on by the new version, if that has their step.",
      ),
    enroll_existing: z
      .boolean()
      .default(false)
      .describe(
        `Starts it also for the records that meet the filter and the trigger's condition now, for at most ${manyMost}, oldest first; without changes only for those that it was never started for. Its conditions must be ones that a search can ask.`,
      ),
  },
  get output() {
    const secret = z.string().optional();
    return workflowAlone().extend({
      version: outputSchema(automationVersion),
      webhook: shownHook.extend({ signing_secret: secret.describe("Shown by the first publish, and never again.") }).nullable(),
      signing_secret: secret.describe("The `signing_secret` of `webhook`."),
      webhook_secret: secret.describe("The `signing_secret` of `webhook`."),
      warnings: z.array(shownFinding).describe("What is allowed and may not be meant."),
      enrolled: z.int().describe("The number of records that `enroll_existing` found."),
      bulk_action: z
        .strictObject({ id: z.string(), total: z.int() })
        .nullable()
        .describe("With `enroll_existing`: its id is the `bulk_action_id` of the runs, which start in the background."),
    });
  },
  async run(ctx, { id, if_revision, change_note, note, in_flight, enroll_existing }) {
    const before = await lockRecord(ctx, workflow, id);
    if (if_revision !== undefined && if_revision !== before.draft_revision)
      refuseFindings([
        finding("draft_revision_conflict", "if_revision", `is out of date: the draft is at ${before.draft_revision}`),
      ]);
    const plan: Plan = { trigger: before.trigger, filter: before.filter, graph: before.graph, settings: before.settings };
    checkActing(ctx, plan.settings.run_as_user_id);
    await checkForce(ctx, plan.graph);

    const isNew = !(same(plan, before.published) && (await isLent(ctx, before.active_version_id!)));
    if (!isNew) checkLending(ctx, plan.settings.run_as_user_id);
    // What was paused may have lost what it names meanwhile.
    const goesLive = isNew || before.status !== "active";
    const found = goesLive ? await problemsOfGoingLive(ctx, plan, senderOf(ctx, plan)) : await semanticsOf(ctx, plan);
    if (goesLive) refuseFindings(found);
    const { after, hook } = isNew
      ? await putInForce(ctx, before, plan, { note: change_note ?? note ?? null, in_flight })
      : reactivate(ctx, before);
    follow(ctx, automationNews);
    if (after !== before) armClock(ctx, id, plan.trigger);
    const bulk = enroll_existing
      ? await enrollExisting(ctx, { automation_id: id, version_id: after.active_version_id!, isNew }, plan)
      : null;
    const version = await showRecord(ctx, automationVersion, after.active_version_id!);
    const doubts = [...found.filter(isWarning), ...(await doubtsOf(ctx, id, plan, senderOf(ctx, plan)))];
    const warnings = JSON.stringify([...warningsOfHook(ctx.settings.secrets, after, plan), ...doubts]);
    const shown = recordWith(
      await addHook(ctx, id, await showRecord(ctx, workflow, id)),
      `,"version":${version.text},"warnings":${warnings},${shownEnrolment(bulk)}`,
    );
    return hook === null || ctx.actor.oauth !== undefined ? shown : withSecret(shown, hook.signing_secret);
  },
});

const shownEnrolment = (bulk: Begun | null): string => `"enrolled":${bulk?.total ?? 0},"bulk_action":${JSON.stringify(bulk)}`;

/** Whose accounts and numbers it sends from. */
const senderOf = ({ actor }: Ctx, { settings }: Plan): string => settings.run_as_user_id ?? actor.user_id;

interface Published {
  after: Workflow;
  hook: NewHook | null;
}

/** The first publish with such a trigger makes the address, which never changes. */
const hookFor = (ctx: Ctx, before: Workflow, { trigger }: Plan): NewHook | null =>
  trigger.type === hookTrigger && before.hook_hash === null
    ? newHook(ctx.settings.secrets, before, trigger.config.verification as Verification)
    : null;

function withSecret(shown: JsonText, signing_secret: string): JsonText {
  const { webhook, ...rest } = JSON.parse(shown.text);
  const text = JSON.stringify({
    ...rest,
    webhook: { ...webhook, signing_secret },
    signing_secret,
    webhook_secret: signing_secret,
  });
  return new JsonText(text, shown.version);
}

/** What was held goes on, in the name of who published it. */
function reactivate(ctx: Ctx, before: Workflow): Published {
  resumeRuns(ctx, before.id);
  if (before.status === "active") return { after: before, hook: null };
  const values = { status: "active", in_flight: null, circuit: closedCircuit(ctx) } as const;
  return { after: store.update(ctx, workflow, before, values, undefined, "published"), hook: null };
}

interface Words {
  note: string | null;
  in_flight: "finish" | "cancel";
}

async function putInForce(ctx: Ctx, before: Workflow, plan: Plan, { note, in_flight }: Words): Promise<Published> {
  if (in_flight === "cancel") await cancelRuns(ctx, before.id, "republished");
  write(
    ctx,
    statement(sql`update automation_version set is_active = false, version = version + 1
      where organization_id = ${ctx.organization_id} and automation_id = ${before.id} and is_active`),
  );
  const number = (before.active_version ?? 0) + 1;
  const version = store.insert(ctx, automationVersion, {
    ...plan,
    id: newId(automationVersion.prefix, ctx.now.getTime()),
    automation_id: before.id,
    number,
    is_active: true,
    published_at: ctx.now.toISOString(),
    published_by: userOf(ctx),
    change_note: note,
  });
  if (in_flight === "finish") {
    mendRuns(ctx, before.id, version.id);
    resumeRuns(ctx, before.id);
  }
  const hook = hookFor(ctx, before, plan);
  const values = {
    status: "active",
    in_flight: null,
    circuit: closedCircuit(ctx),
    active_version_id: version.id,
    active_version: number,
    published: plan,
    ...hook?.columns,
  } as const;
  return { after: store.update(ctx, workflow, before, values, undefined, "published"), hook };
}
