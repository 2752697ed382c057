// What a seller does many times a day, each in one call.
import { z } from "zod";
import { placed } from "../../core/errors.ts";
import { data, id, ids, onceOnly, written } from "../arguments.ts";
import { refusalOf } from "../refusal.ts";
import { dataResult, linesOf, type Row, writtenResult } from "../shape.ts";
import { type Performed, type Tool, type ToolCall, tool } from "../tool.ts";

const activities = ["note", "call", "meeting"] as const;

export const logActivity = tool({
  name: "log_activity",
  doc: "Logs a note, a call or a meeting at a lead. `data` takes further fields of activity/note, activity/call or activity/meeting, such as duration, title or starts_at.",
  scope: "write_safe",
  input: {
    type: z.enum(activities),
    lead_id: id,
    contact_id: id.optional(),
    note: z.string().optional(),
    data: data.default({}),
  },
  output: written,
  operations: activities.map((type) => `activity_${type}.create`),
  async run(call, { type, lead_id, contact_id, note, data }) {
    const body = onceOnly({ lead_id, contact_id, [type === "meeting" ? "user_note" : "note"]: note }, data);
    return writtenResult(await call.perform(`activity_${type}.create`, { body }));
  },
});

export const completeTasks = tool({
  name: "complete_tasks",
  doc: "Marks up to 50 tasks as done, each by itself: the answer says which could not be.",
  scope: "write_safe",
  annotations: { idempotentHint: true },
  input: { ids },
  output: { ...written, done: z.array(id), failed: z.array(z.object({ id, error: z.string() })) },
  operations: ["task.update"],
  async run(call, { ids }) {
    const done: string[] = [];
    const failed: { id: string; error: string }[] = [];
    const events: Row[] = [];
    for (const one of new Set(ids)) {
      const body = { is_complete: true };
      const answered = await orRefused(call.perform("task.update", { params: { id: one }, body, part: one }));
      if (typeof answered === "string") failed.push({ id: one, error: answered });
      else {
        done.push(one);
        events.push(...(answered.body.events ?? []));
      }
    }
    const result = { done, failed };
    if (call.isDry) return writtenResult({ status: 200, body: { dry_run: true, status: 200, result, events } }, result);
    return dataResult(result, `done: ${done.join(", ")}\n${linesOf(failed)}`);
  },
});

/** What it answered, or why it was refused. */
const orRefused = (performed: Promise<Performed>): Promise<Performed | string> =>
  performed.catch((error) => refusalOf(error).text.replaceAll("\n", " "));

export const moveOpportunityStage = tool({
  name: "move_opportunity_stage",
  doc: "Moves an opportunity to a status of its pipeline, by the status's id or label, such as Won.",
  scope: "write_safe",
  annotations: { idempotentHint: true },
  input: { id, status: z.string() },
  output: written,
  operations: ["opportunity.update"],
  async run(call, { id, status }) {
    const body = status.startsWith("stat_") ? { status_id: status } : { status };
    return writtenResult(await call.perform("opportunity.update", { params: { id }, body }));
  },
});

export const addTags = tool({
  name: "add_tags",
  doc: "Adds tags by name to a lead or a contact; unknown names become tags. To remove tags, set the whole list by update_record.",
  scope: "write_safe",
  annotations: { idempotentHint: true },
  input: { object_type: z.enum(["lead", "contact"]), id, tags: z.array(z.string()).min(1).max(50) },
  output: written,
  operations: ["lead.update", "contact.update", "lead.get", "contact.get"],
  async run(call, { object_type, id, tags }) {
    for (let attempt = 1; ; attempt++) {
      const { body, version } = await call.perform(`${object_type}.get`, { params: { id }, query: { _fields: "tags" } });
      const present = body.tags as string[];
      const added = tags.filter((tag, i) => !present.includes(tag) && tags.indexOf(tag) === i);
      const placeOf = (place: string) =>
        place.replace(/^tags\.(\d+)/, (_, i) => `tags.${tags.indexOf(added[Number(i) - present.length]!)}`);
      const change = { params: { id }, body: { tags: [...present, ...added] }, version };
      try {
        return writtenResult(await placed(placeOf, () => call.perform(`${object_type}.update`, change)));
      } catch (error) {
        // Somebody changed it since it was read.
        if (refusalOf(error).status !== 412 || attempt === 10) throw error;
      }
    }
  },
});

export const enrollInSequence = tool({
  name: "enroll_in_sequence",
  doc: "Subscribes a contact to a sequence, which then writes and calls by its schedule. `data` takes further fields of sequence_subscription.",
  scope: "write_safe",
  annotations: { openWorldHint: true },
  input: { sequence_id: id, contact_id: id, data: data.default({}) },
  output: written,
  operations: ["sequence_subscription.create"],
  run: async (call, { sequence_id, contact_id, data }) =>
    writtenResult(await call.perform("sequence_subscription.create", { body: onceOnly({ sequence_id, contact_id }, data) })),
});

export const enrich = tool({
  name: "enrich",
  doc: "Fills in empty fields of a lead or a contact from public data, in the background; read enrichment by the answered id for the result.",
  scope: "write_safe",
  annotations: { openWorldHint: true },
  input: {
    object_type: z.enum(["lead", "contact"]),
    id,
    fields: z.array(z.string()).min(1).optional(),
    overwrite: z.boolean().optional(),
  },
  output: written,
  operations: ["lead.enrich", "contact.enrich"],
  run: async (call, { object_type, id, fields, overwrite }) =>
    writtenResult(await call.perform(`${object_type}.enrich`, { params: { id }, body: { fields, overwrite } })),
});

export const sendEmail = tool({
  name: "send_email",
  doc: "Sends an e-mail, at once or at date_scheduled. `data` takes further fields of activity/email, such as cc, sender or in_reply_to_id.",
  scope: "write_safe",
  annotations: { openWorldHint: true },
  input: {
    lead_id: id.optional(),
    contact_id: id.optional(),
    to: z.array(z.string()).optional(),
    subject: z.string().optional(),
    body_text: z.string().optional(),
    body_html: z.string().optional(),
    template_id: id.optional(),
    date_scheduled: z.string().optional(),
    data: data.default({}),
  },
  output: written,
  operations: ["activity_email.create"],
  run: (call, input) => send(call, "activity_email.create", input),
});

export const sendSms = tool({
  name: "send_sms",
  doc: "Sends a text message, at once or at date_scheduled. `data` takes further fields of activity/sms, such as local_phone.",
  scope: "write_safe",
  annotations: { openWorldHint: true },
  input: {
    lead_id: id.optional(),
    contact_id: id.optional(),
    remote_phone: z.string().optional(),
    text: z.string().optional(),
    template_id: id.optional(),
    date_scheduled: z.string().optional(),
    data: data.default({}),
  },
  output: written,
  operations: ["activity_sms.create"],
  run: (call, input) => send(call, "activity_sms.create", input),
});

interface Message {
  data: Record<string, unknown>;
  date_scheduled?: string;
  [field: string]: unknown;
}

async function send(call: ToolCall, operation: string, message: Message) {
  const { data, ...fields } = message;
  const isLater = fields.date_scheduled !== undefined || data.date_scheduled !== undefined;
  const body = onceOnly({ ...fields, status: isLater ? "scheduled" : "outbox" }, data);
  return writtenResult(await call.perform(operation, { body }));
}

export const workTools: readonly Tool[] = [
  addTags,
  completeTasks,
  enrich,
  enrollInSequence,
  logActivity,
  moveOpportunityStage,
  sendEmail,
  sendSms,
];
