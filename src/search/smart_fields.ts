/**
 * Fields computed from a lead's activities, tasks, deals and people: one definition for each family, each field a correlated
 * expression. Reads select them only when `_fields` names them. Searches and sorts use the same expression.
 */
import { z } from "zod";
import type { Ctx } from "../core/context.ts";
import { type Related, related, type SharedRows } from "../core/field.ts";
import type { Resource } from "../core/resource.ts";
import { name, raw, type Sql, sql, wireTime } from "../db/sql.ts";
import { byName } from "../values/names.ts";
import { dealFields, primaryDealFields } from "./deal_fields.ts";
import { always, count, everything, first, type Kind, rowsOf, type SmartField, type SmartFields } from "./smart_field.ts";

/** The smart fields of a kind of record. */
export const smartFieldsOf = (of: Resource): SmartFields => smartFields[of.name] ?? none;
const none: SmartFields = byName({});

/** The smart fields of leads, as fields of their definition. */
export const leadSmartFields = (): Record<string, Related> =>
  Object.fromEntries(
    Object.entries(smartFields.lead!).map(([key, field]) => [
      key,
      related(schemas[field.kind].nullable(), (alias, ctx) => asJson(field.kind, field.value(name(alias), ctx)), field.doc, {
        shared: sharedRows(field),
      }),
    ]),
  );

function sharedRows({ kind, shared }: SmartField): SharedRows | null {
  if (shared === undefined) return null;
  const { name: called, rows, value } = shared;
  return { name: called, rows: (alias, ctx) => rows(name(alias), ctx), value: (ctx) => asJson(kind, value(ctx)) };
}

const schemas: Record<Kind, z.ZodType> = {
  text: z.string(),
  number: z.number(),
  boolean: z.boolean(),
  timestamp: z.iso.datetime(),
  date: z.iso.date(),
};

const asJson = (kind: Kind, value: Sql): Sql =>
  kind === "timestamp" ? sql`to_json(${wireTime(value)})` : sql`to_json(${value})`;

const earliest = raw("r.activity_at, r.id");
const latest = raw("r.activity_at desc, r.id desc");

// --- activities ---

/** Activities of people, without those that the service recorded by itself. */
const byPeople = raw("r._type in ('Note', 'Call', 'ChannelMessage', 'CustomActivity', 'Email', 'SMS', 'Meeting')");
/** A message that was not sent yet has not happened. */
const hasLeft = raw("(r._type not in ('ChannelMessage', 'Email', 'SMS') or r.status in ('inbox', 'sent'))");
const call = raw("r._type = 'Call'");
const email = raw("r._type = 'Email' and r.status in ('inbox', 'sent')");
const sms = raw("r._type = 'SMS' and r.status in ('inbox', 'sent')");
const note = raw("r._type = 'Note'");
const calledOff = raw("('canceled', 'declined-by-lead', 'declined-by-org')");
const past = (ctx: Ctx, column: string) => sql`r.${name(column)} <= ${ctx.now}::timestamptz`;
const meetingsBy = {
  upcoming: [
    "meetings to come",
    (ctx) => sql`r._type = 'Meeting' and r.status not in ${calledOff} and not ${past(ctx, "starts_at")}`,
  ],
  in_progress: [
    "meetings in progress",
    (ctx) =>
      sql`r._type = 'Meeting' and r.status not in ${calledOff} and ${past(ctx, "starts_at")} and not ${past(ctx, "ends_at")}`,
  ],
  completed: [
    "meetings that took place",
    (ctx) => sql`r._type = 'Meeting' and r.status not in ${calledOff} and ${past(ctx, "ends_at")}`,
  ],
  canceled: ["meetings canceled", () => raw("r._type = 'Meeting' and r.status = 'canceled'")],
  declined_by_lead: ["meetings that the lead declined", () => raw("r._type = 'Meeting' and r.status = 'declined-by-lead'")],
  declined_by_org: ["meetings that our side declined", () => raw("r._type = 'Meeting' and r.status = 'declined-by-org'")],
} satisfies Record<string, [what: string, where: (ctx: Ctx) => Sql]>;
/** Communication in either direction: calls, sent and received messages, meetings that took place. */
const communication = (ctx: Ctx): Sql =>
  sql`(${call} or (r._type in ('Email', 'SMS', 'ChannelMessage') and r.status in ('inbox', 'sent')) or (${meetingsBy.completed[1](ctx)}))`;

/** A one-line description of an activity. */
const summary = raw("left(coalesce(r.subject, r.title, r.text, r.note, r.body_preview), 255)");

const columns: Record<string, [Kind, Sql, doc: string, refersTo?: string]> = {
  date: ["timestamp", raw("r.activity_at"), "when it happened."],
  type: ["text", raw("r._type"), "its kind."],
  user: ["text", raw("r.user_id"), "whose it was.", "user"],
  summary: ["text", summary, "what it says, in one line."],
  duration: ["number", raw("r.duration"), "how long it was, in seconds."],
  disposition: ["text", raw("r.disposition"), "how it ended."],
  subject: ["text", raw("r.subject"), "its subject."],
};

/**
 * `last_call_date`, `last_call_user` and so on: columns of the first or last activity that meets a condition. Planned activities
 * do not count.
 */
function ofOneActivity(
  prefix: string,
  what: string,
  order: Sql,
  where: (ctx: Ctx) => Sql,
  names: readonly string[],
): SmartFields {
  return Object.fromEntries(
    names.map((column) => {
      const [kind, expression, doc, refersTo] = columns[column]!;
      const isPast = (ctx: Ctx) => sql`${where(ctx)} and ${past(ctx, "activity_at")}`;
      const valued = first(prefix, "activity", always(expression), always(order), isPast);
      return [`${prefix}_${column}`, { kind, refersTo, ...valued, doc: `The ${what}: ${doc}` }];
    }),
  );
}

const both = (condition: Sql, column: string, value: string) => () => sql`${condition} and r.${name(column)} = ${value}`;

const communicationFields: SmartFields = {
  ...ofOneActivity("first_communication", "first call, message or meeting", earliest, communication, [
    "date",
    "type",
    "summary",
    "user",
  ]),
  ...ofOneActivity("last_communication", "last call, message or meeting", latest, communication, [
    "date",
    "type",
    "summary",
    "user",
  ]),
  ...ofOneActivity("last_activity", "last activity of people", latest, always(sql`${byPeople} and ${hasLeft}`), [
    "date",
    "type",
    "user",
  ]),
  ...ofOneActivity("last_call", "last call", latest, always(call), ["date", "user", "duration", "disposition"]),
  ...ofOneActivity("last_email", "last e-mail", latest, always(email), ["date", "subject", "user"]),
  ...ofOneActivity("last_note", "last note", latest, always(note), ["date", "user"]),
  ...ofOneActivity("last_incoming_call", "last call received", latest, both(call, "direction", "inbound"), ["date"]),
  ...ofOneActivity("last_outgoing_call", "last call made", latest, both(call, "direction", "outbound"), ["date"]),
  ...ofOneActivity("last_incoming_email", "last e-mail received", latest, both(email, "status", "inbox"), ["date"]),
  ...ofOneActivity("last_outgoing_email", "last e-mail sent", latest, both(email, "status", "sent"), ["date"]),
  ...ofOneActivity("last_incoming_sms", "last SMS received", latest, both(sms, "status", "inbox"), ["date"]),
  ...ofOneActivity("last_outgoing_sms", "last SMS sent", latest, both(sms, "status", "sent"), ["date"]),
  ...ofOneActivity(
    "last_lead_status_change",
    "last change of the lead's status",
    latest,
    always(raw("r._type = 'LeadStatusChange'")),
    ["date"],
  ),
  ...ofOneActivity(
    "last_opportunity_status_change",
    "last change of a deal's status",
    latest,
    always(raw("r._type = 'OpportunityStatusChange'")),
    ["date"],
  ),
  times_communicated: {
    kind: "number",
    ...count("activity", communication),
    doc: "How many calls, messages and meetings there were.",
  },
  first_source: { kind: "text", value: (record) => sql`${record}.source`, doc: "The source of the lead." },
};

const activityCounts: Record<string, [what: string, where: (ctx: Ctx) => Sql]> = {
  num_activities: ["activities of people", always(byPeople)],
  num_calls: ["calls", always(call)],
  num_incoming_calls: ["calls received", both(call, "direction", "inbound")],
  num_outgoing_calls: ["calls made", both(call, "direction", "outbound")],
  num_missed_calls: [
    "calls missed",
    always(sql`${call} and r.direction = 'inbound' and r.disposition in ('no-answer', 'vm-left', 'abandoned')`),
  ],
  num_emails: ["e-mails", always(email)],
  num_sent_emails: ["e-mails sent", both(email, "status", "sent")],
  num_received_emails: ["e-mails received", both(email, "status", "inbox")],
  num_sms: ["text messages", always(sms)],
  num_sent_sms: ["text messages sent", both(sms, "status", "sent")],
  num_received_sms: ["text messages received", both(sms, "status", "inbox")],
  num_notes: ["notes", always(note)],
  num_meetings: ["meetings", always(raw("r._type = 'Meeting'"))],
  ...Object.fromEntries(Object.entries(meetingsBy).map(([state, [what, where]]) => [`num_${state}_meetings`, [what, where]])),
};

// --- tasks ---

const isNext = raw("not r.is_complete and r.date is not null");

const nextTask = (kind: Kind, column: string, doc: string, refersTo?: string): SmartField => ({
  kind,
  refersTo,
  doc: `The next task to do: ${doc}`,
  ...first("next task", "task", always(sql`r.${name(column)}`), always(raw("r.date, r.id")), always(isNext)),
});

const taskFields: SmartFields = {
  next_task_date: nextTask("date", "date", "the day it is due."),
  next_task_due_date: nextTask("date", "date", "the day it is due."),
  next_task_text: nextTask("text", "text", "what is to be done."),
  next_task_user_id: nextTask("text", "assigned_to", "who is to do it.", "user"),
  num_tasks: { kind: "number", ...count("task"), doc: "How many tasks there are." },
  num_incomplete_tasks: {
    kind: "number",
    ...count("task", always(raw("not r.is_complete"))),
    doc: "How many tasks are to be done.",
  },
  num_completed_tasks: { kind: "number", ...count("task", always(raw("r.is_complete"))), doc: "How many tasks are done." },
};

// --- people and addresses ---

/** Members of a list of the lead and of the same list of its contacts. */
const inAllLists = (list: string) => (record: Sql, ctx: Ctx) =>
  sql`(jsonb_array_length(${record}.${name(list)}) + (select coalesce(sum(jsonb_array_length(r.${name(list)})), 0) from ${rowsOf(ctx, "contact", record, everything)}))`;
const urls = (record: Sql, ctx: Ctx): Sql =>
  sql`((${record}.url is not null)::int + (select coalesce(sum(jsonb_array_length(r.urls)), 0) from ${rowsOf(ctx, "contact", record, everything)}))`;

const peopleFields: SmartFields = {
  num_contacts: { kind: "number", ...count("contact"), doc: "How many contacts there are." },
  contacts_count: { kind: "number", ...count("contact"), doc: "How many contacts there are." },
  num_addresses: {
    kind: "number",
    value: (record) => sql`jsonb_array_length(${record}.addresses)`,
    doc: "How many postal addresses the lead has.",
  },
  num_email_addresses: {
    kind: "number",
    value: inAllLists("emails"),
    doc: "How many e-mail addresses the lead and its contacts have.",
  },
  num_phone_numbers: {
    kind: "number",
    value: inAllLists("phones"),
    doc: "How many phone numbers the lead and its contacts have.",
  },
  num_urls: { kind: "number", value: urls, doc: "How many web addresses the lead and its contacts have." },
  all_urls_count: { kind: "number", value: urls, doc: "How many web addresses the lead and its contacts have." },
};

const smartFields: Readonly<Record<string, SmartFields>> = {
  lead: byName<SmartFields>({
    ...communicationFields,
    ...Object.fromEntries(
      Object.entries(activityCounts).map(([key, [what, where]]) => [
        key,
        {
          kind: "number",
          ...count("activity", where),
          doc: `How many ${what} there are.`,
        } satisfies SmartField,
      ]),
    ),
    ...taskFields,
    ...peopleFields,
    ...dealFields,
    ...primaryDealFields,
  }),
};
