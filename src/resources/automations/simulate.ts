// `POST /automations/{id}/simulate/`: what an automation would do for a record or an event. Nothing of it stays, and nothing leaves.
import { z } from "zod";
import { actorOfMember } from "../../auth/unscoped_work.ts";
import { type Actor, type Ctx, may } from "../../core/context.ts";
import { type FieldErrors, invalid, refuse } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { getRecord } from "../../records/records.ts";
import { rehearse } from "../../records/rehearse.ts";
import { aNoun } from "../../records/standard_operation.ts";
import { isId } from "../../values/id.ts";
import { automationVersion } from "./automation_version.ts";
import { asSeen } from "./facts.ts";
import type { Plan } from "./fields.ts";
import { type Finding, isError } from "./findings.ts";
import { getAutomation } from "./nested_lists.ts";
import { problemsOfPublishing } from "./publishable.ts";
import { answerOf, invalidAnswer, simulatedAnswer } from "./simulated_answer.ts";
import { type Heard, simulateRun } from "./simulation.ts";
import { startsNow } from "./starts_now.ts";
import { failureClasses } from "./step_failure.ts";
import { isOfRights } from "./step_rights.ts";
import { portsOf } from "./stubs.ts";
import { asIfFor, asIfReceived, storedEvent } from "./what_starts.ts";

const one = z.string().max(64).optional();
const word = z.string().min(1).max(100);

const mock = z.strictObject({
  port: word.optional(),
  output: z.unknown().optional(),
  error: z
    .strictObject({ code: word.optional(), class: z.enum(failureClasses).optional(), message: z.string().max(1000).optional() })
    .optional(),
});

const input = {
  id: z.string(),
  record: z
    .strictObject({ type: word.optional(), id: z.string().max(64) })
    .optional()
    .describe("The record: `{type, id}`."),
  record_id: one.describe("The same by its id."),
  object_id: one.describe("The same as `record_id`."),
  object_type: word.optional().describe("The kind of the record; its id says it too."),
  lead_id: one.describe("The same, for a lead."),
  contact_id: one.describe("The same, for a contact."),
  opportunity_id: one.describe("The same, for an opportunity."),
  event_id: one.describe("A stored event, instead of a record."),
  payload: z.record(z.string(), z.unknown()).optional().describe("What another service would send, instead of a record."),
  input: z.record(z.string(), z.unknown()).default({}).describe("For its steps, as `trigger.payload`."),
  version: z.enum(["draft", "active"]).default("draft").describe("What is simulated: the draft, or the version in force."),
  at: z.iso.datetime({ offset: true }).optional().describe("When it begins; by default now."),
  clock: z
    .enum(["real_dates", "skip"])
    .default("real_dates")
    .describe(
      "`real_dates`: a wait moves the clock to its end, and what follows is as it is then. `skip`: waits take no time, and all happens when it begins.",
    ),
  choose: z.record(word, word).default({}).describe("The port that a step leaves by, such as `matched` for a wait."),
  mocks: z
    .record(word, mock)
    .default({})
    .describe("What a step answers instead of being carried out: `{port, output}` or `{error}`."),
};
type Given = z.output<z.ZodObject<typeof input>>;
type Automation = Awaited<ReturnType<typeof getAutomation>>;

export const simulateAutomation = operation({
  name: "automations.simulate",
  method: "POST",
  path: "/automations/{id}/simulate/",
  doc: "Says what an automation would do for a record, an event or a payload. Nothing is written and nothing is sent.",
  permission: "member",
  group: "bulk",
  transaction: false,
  narrows: true,
  input,
  output: simulatedAnswer,
  async run(ctx, given) {
    const automation = await getAutomation(ctx, given.id);
    const plan = await planOf(ctx, automation, given.version);
    checkChoices(plan, given);
    const { record_id, event_id } = startOf(given);
    checkKind(ctx, given, record_id);
    const author = plan.settings.run_as_user_id ?? automation.created_by ?? ctx.actor.user_id;
    const findings = (await problemsOfPublishing(ctx, plan, author)).filter(isError);
    const errors = findings.filter((one) => !isOfRights(one));
    if (errors.length > 0) return invalidAnswer(errors, ctx.now);

    const { actor, warnings } = await actorOf(ctx, plan);
    const begins = given.at === undefined ? ctx.now : new Date(given.at);
    const heard: Heard[] = [];
    const hear = (event: Record<string, unknown>) => void heard.push({ step_id: stepOf(event), event });
    return rehearse(ctx, hear, async (inside) => {
      const at = { ...inside, now: begins };
      const occurrence =
        event_id !== undefined
          ? await storedEvent(at, event_id)
          : record_id !== undefined
            ? await asIfFor(at, plan, record_id)
            : asIfReceived(at, plan);
      const simulated = {
        plan,
        automation: {
          id: automation.id,
          name: automation.name,
          generation: Number(automation.generation),
          created_by: automation.created_by,
        },
        occurrence: asSeen(ctx, occurrence),
        input: { ...given.payload, ...given.input },
        actor,
        begins,
        skips: given.clock === "skip",
        choose: given.choose,
        mocks: given.mocks,
      };
      const start = await startsNow({ ...at, actor }, automation.id, plan, occurrence, simulated.input);
      const ran = start.isMatched ? await simulateRun(inside, simulated, heard) : null;
      return answerOf(inside, plan, { start, ran, heard, warnings: [...warnings, ...findings], begins });
    });
  },
});

/** What a step writes names its run, and `automation_step` the step. */
const stepOf = ({ meta }: Record<string, unknown>): string | null =>
  (JSON.parse(String(meta)) as { automation_step_id?: string }).automation_step_id ?? null;

// --- what is asked ---

async function planOf(
  ctx: Ctx,
  { trigger, filter, graph, settings, active_version_id }: Automation,
  version: string,
): Promise<Plan> {
  if (version === "draft") return { trigger, filter, graph, settings };
  if (active_version_id === null) throw invalid({ version: "is draft: the automation was never published" });
  const kept: Row<typeof automationVersion> = await getRecord(ctx, automationVersion, active_version_id);
  return { trigger: kept.trigger, filter: kept.filter, graph: kept.graph, settings: kept.settings };
}

function startOf({ record, record_id, object_id, lead_id, contact_id, opportunity_id, event_id, payload }: Given) {
  const ids = [record?.id, record_id, object_id, lead_id, contact_id, opportunity_id].filter((id) => id !== undefined);
  if (ids.length + (event_id === undefined ? 0 : 1) + (payload === undefined ? 0 : 1) !== 1)
    throw invalid({ record_id: "must be given, or else event_id or payload, and only one of them" });
  return { record_id: ids[0], event_id };
}

/** A record of another kind than is said was not meant. */
function checkKind({ registry }: Ctx, { record, object_type }: Given, id: string | undefined): void {
  const [field, type] = record?.type === undefined ? ["object_type", object_type] : ["record", record.type];
  const of = type === undefined ? undefined : registry.resource(type);
  if (of === undefined || of.kinds !== undefined || id === undefined || isId(of.prefix, id)) return;
  throw invalid({ [field]: `is not ${aNoun(of)}: leave its kind out, or name another record` });
}

function checkChoices({ graph }: Plan, { choose, mocks }: Given): void {
  const errors: FieldErrors = {};
  const check = (at: string, id: string, port: string | undefined) => {
    const step = graph.steps[id];
    const ports = step === undefined ? [] : [...new Set([...portsOf(step.type, step.config), ...Object.keys(step.ports)])];
    if (step === undefined) errors[at] = "is not a step of the automation";
    else if (port !== undefined && !ports.includes(port)) errors[at] = `must be a port of the step: ${ports.join(" or ")}`;
  };
  for (const [id, port] of Object.entries(choose)) check(`choose.${id}`, id, port);
  for (const [id, { port }] of Object.entries(mocks)) check(`mocks.${id}`, id, port);
  refuse(errors);
}

// --- whose rights it has ---

/**
 * Those that it will really have, if they are the caller's own, or if the caller is an admin who sees everything. Otherwise the
 * caller's, so that nobody reads by it what they may not see.
 */
async function actorOf(ctx: Ctx, { settings }: Plan): Promise<{ actor: Actor; warnings: Finding[] }> {
  const { run_as_user_id } = settings;
  // Without a name it acts with the rights of who publishes it.
  if (run_as_user_id === ctx.actor.user_id || (run_as_user_id === null && may(ctx, "view_all_leads")))
    return { actor: ctx.actor, warnings: [] };
  const mayLend = run_as_user_id !== null && may(ctx, "manage_organization") && may(ctx, "view_all_leads");
  const actor = mayLend ? await actorOfMember(ctx.db, ctx.organization_id, run_as_user_id) : null;
  if (actor !== null) return { actor, warnings: [] };
  const message = "It was simulated with your rights. In force, it has others, and may see and do other things.";
  const warning = { code: "own_rights", path: "settings.run_as_user_id", step_id: null, message, severity: "warning" } as const;
  return { actor: ctx.actor, warnings: [warning] };
}
