// What is said when a plan is put in force and refuses nothing: two automations that start each other, requests that others can read on
// their way, and e-mails from a member who has no mailbox.
import { type Ctx, query } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { sendersOf, usualMailbox } from "../accounts/senders.ts";
import { emailTemplate } from "../templates/email_template.ts";
import type { Plan } from "./fields.ts";
import { type Finding, warning } from "./findings.ts";
import type { Graph } from "./graph_shape.ts";
import type { Trigger } from "./trigger.ts";
import { isWatched, writtenBy } from "./watched_fields.ts";

/** `userId` is who it sends as by default. */
export async function doubtsOf(ctx: Ctx, automationId: string, plan: Plan, userId: string): Promise<Finding[]> {
  return [
    ...warningsOfPlainText(plan.graph),
    ...(await warningsOfMarketing(ctx, plan)),
    ...(await warningsOfMailbox(ctx, plan.graph, userId)),
    ...(await warningsOfOthers(ctx, automationId, plan)),
  ];
}

const warningsOfPlainText = ({ steps }: Graph): Finding[] =>
  Object.entries(steps).flatMap(([id, { type, config }]) =>
    type === "http.request" && /^http:/i.test(String(config.url))
      ? [warning("url_not_https", `graph.steps.${id}.config.url`, "is not encrypted: use https://")]
      : [],
  );

async function warningsOfMailbox(ctx: Ctx, { steps }: Graph, userId: string): Promise<Finding[]> {
  const mails = Object.entries(steps).filter(([, { type, config }]) => type === "email.send" && config.from == null);
  if (mails.length === 0) return [];
  const given = { sender: null, email_account_id: null, send_as_id: null };
  if (usualMailbox(ctx, await sendersOf(ctx, userId), given) !== null) return [];
  const mend = "connect one, or name another sender";
  return mails.map(([id]) =>
    warning("connected_account_missing", `graph.steps.${id}.config.from`, `is not given, and who sends has no mailbox: ${mend}`),
  );
}

/** Whether one mail goes to many at once, who did not ask for it by something that they did. */
const goesToMany = ({ type, config }: Trigger): boolean =>
  type === "list.membership" ||
  (type === "schedule.cron" && config.for_each != null) ||
  (type === "manual" && config.allow_bulk === true);

/** What goes to many must say how to be left out of it. */
async function warningsOfMarketing(ctx: Ctx, { trigger, graph: { steps } }: Plan): Promise<Finding[]> {
  const mails = Object.entries(steps).filter(([, { type }]) => type === "email.send");
  if (mails.length === 0 || !goesToMany(trigger)) return [];
  const ids = mails.flatMap(([, { config }]) => (typeof config.template_id === "string" ? [config.template_id] : []));
  const templates = new Map((await findRecords(ctx, emailTemplate, [sql`t.id = any(${ids})`])).map(({ id, body }) => [id, body]));
  return mails.flatMap(([id, { config }]) => {
    const key = config.template_id == null ? "body" : "template_id";
    const body = key === "body" ? config.body : templates.get(String(config.template_id));
    const text = JSON.stringify(body ?? "");
    if (/unsubscribe/.test(text)) return [];
    const mend = "write {% unsubscribe %} or {{ unsubscribe_link }} into it";
    return [
      warning("unsubscribe_missing", `graph.steps.${id}.config.${key}`, `goes to many and has no link to unsubscribe: ${mend}`),
    ];
  });
}

// --- automations that start each other ---

/** Another one in force writes what starts this one, and this one writes what starts the other. */
async function warningsOfOthers(ctx: Ctx, id: string, { trigger, graph, settings }: Plan): Promise<Finding[]> {
  const writes = Object.entries(graph.steps).filter(([, step]) => writtenBy(step).length > 0);
  if (!isEdge(trigger) || writes.length === 0 || settings.allow_self_trigger === true) return [];
  const others = await othersOf(ctx, id, String(trigger.config.object_type));
  return writes.flatMap(([step, one]) => {
    const other = others.find(
      (other) =>
        writtenBy(one).some((name) => isWatched(other.trigger, name)) &&
        Object.values(other.steps).some((its) => writtenBy(its).some((name) => isWatched(trigger, name))),
    );
    const risk = `starts ${other?.name} (${other?.id}), which starts this automation: let a trigger watch other fields`;
    return other === undefined ? [] : [warning("mutual_trigger_risk", `graph.steps.${step}.config.fields`, risk)];
  });
}

const isEdge = ({ type }: Trigger): boolean => type === "record.updated" || type === "field.changed";

interface Other {
  id: string;
  name: string;
  trigger: Trigger;
  steps: Graph["steps"];
}

async function othersOf(ctx: Ctx, id: string, objectType: string): Promise<Other[]> {
  const rows = await query(ctx, {
    name: "automation.others_on_changes",
    text: `select id, name, published->'trigger', published->'graph'->'steps' from automation
           where organization_id = $1 and status = 'active' and id <> $2
             and published->'trigger'->'config'->>'object_type' = $3
             and published->'trigger'->>'type' in ('record.updated', 'field.changed')`,
    values: [ctx.organization_id, id, objectType],
  });
  return rows.map(([id, name, trigger, steps]) => ({
    id: id!,
    name: name!,
    trigger: JSON.parse(trigger!),
    steps: JSON.parse(steps!),
  }));
}
