// The triggers that can start an automation.
import { z } from "zod";
import {
  activityKinds,
  anything,
  clockTime,
  defining,
  direction,
  fieldName,
  id,
  ids,
  label,
  may,
  naming,
  need,
  objectType,
  oneOf,
  positive,
  someOf,
  type TypeDefinition,
  units,
  values,
  zone,
} from "./catalog.ts";
import {
  changedAny,
  changedFrom,
  changedStatus,
  changedTag,
  isFrom,
  isLogged,
  namesFor,
  namesOfKinds,
} from "./event_matching.ts";
import type { Occurrence } from "./occurrence.ts";

/** A trigger that this release carries out `listens` to events, or somebody starts it. */
export interface TriggerType extends TypeDefinition {
  /** The names of the events it looks at. */
  listens?(config: Config): string[];
  /** Whether one of these events is meant. By default every one is. */
  matches?(config: Config, event: Occurrence): boolean;
  /** The values of the starting record can be read: false where it is gone by then. */
  leavesRecord?: false;
  byHand?: true;
}

type Config = Record<string, any>;

export const startsRuns = ({ listens, byHand }: TriggerType): boolean => listens !== undefined || byHand === true;

const define = defining<TriggerType>();
const records = "records";
const messages = "messages";
const time = "time";
const other = "other";

const from = may(z.array(anything).max(100));
const change = need(oneOf("added", "removed"));
const events = (...names: [string, ...string[]]) => ({ event: need(oneOf(...names)) });

export const triggerTypes: readonly TriggerType[] = [
  define(
    records,
    "record.created",
    "A record is created.",
    { object_type: need(objectType), sources: may(someOf("user", "api", "import", "automation", "share")) },
    { listens: ({ object_type }) => namesFor(object_type, "created"), matches: isFrom },
  ),
  define(
    records,
    "record.updated",
    "A record is changed, or one of some of its fields.",
    { object_type: need(objectType), fields: may(z.array(fieldName).min(1).max(100)), ignore_actors: may(ids) },
    { listens: ({ object_type }) => namesFor(object_type, "updated"), matches: changedAny },
  ),
  define(
    records,
    "record.deleted",
    "A record is deleted.",
    { object_type: need(objectType) },
    { listens: ({ object_type }) => namesFor(object_type, "deleted"), leavesRecord: false },
  ),
  define(
    records,
    "field.changed",
    "A field changes from one value to another.",
    { object_type: need(objectType), field: need(fieldName), from, to: from },
    { listens: ({ object_type }) => namesFor(object_type, "updated"), matches: changedFrom },
  ),
  define(records, "record.matches", "A record starts to meet a condition.", {
    object_type: need(objectType),
    condition: need(values),
  }),
  define(
    records,
    "status.changed",
    "A lead or deal changes its status.",
    {
      object_type: need(oneOf("lead", "opportunity")),
      pipeline_id: naming(may(id), "pipeline"),
      from: naming(may(ids), "lead_status", "opportunity_status"),
      to: naming(may(ids), "lead_status", "opportunity_status"),
      to_type: may(oneOf("active", "won", "lost")),
    },
    {
      object_types: ["lead", "opportunity"],
      listens: ({ object_type }) => namesFor(object_type, "status_updated"),
      matches: changedStatus,
    },
  ),
  define(
    records,
    "tag.changed",
    "A tag is added or removed.",
    { object_type: need(oneOf("lead", "contact")), tag: need(label), change },
    {
      object_types: ["lead", "contact"],
      listens: ({ object_type }) => namesFor(object_type, "created", "updated"),
      matches: changedTag,
    },
  ),
  define(
    records,
    "list.membership",
    "A record joins or leaves a list.",
    { list_id: naming(need(id), "lead_list", "contact_list"), change },
    { object_types: ["lead", "contact"] },
  ),
  define(
    messages,
    "activity.logged",
    "Something happens at a lead.",
    {
      kinds: need(activityKinds),
      direction: may(direction),
      custom_activity_id: naming(may(id), "custom_activity_type"),
      condition: may(values),
    },
    { object_types: ["activity"], listens: namesOfKinds, matches: isLogged },
  ),
  define(
    messages,
    "email.engagement",
    "An e-mail is sent, received, opened, clicked, answered or bounces.",
    {
      ...events("sent", "received", "replied", "opened", "clicked", "bounced", "unsubscribed"),
      template_id: naming(may(id), "email_template"),
      sequence_id: naming(may(id), "sequence"),
      min_count: may(positive),
      include_machine: may(z.boolean()),
    },
    { object_types: ["activity"] },
  ),
  define(
    messages,
    "sms.received",
    "A text message is received.",
    { number_id: naming(may(id), "phone_number") },
    { object_types: ["activity"] },
  ),
  define(
    messages,
    "call.completed",
    "A call has ended.",
    { direction: may(direction), outcome: may(z.array(label).min(1).max(100)), min_seconds: may(z.int().min(0).max(86_400)) },
    { object_types: ["activity"] },
  ),
  define(
    messages,
    "meeting.event",
    "A meeting is scheduled, held or canceled.",
    events("scheduled", "canceled", "completed", "no_show"),
    {
      object_types: ["activity"],
    },
  ),
  define(
    messages,
    "conversation.message",
    "A message is added to a conversation.",
    { channel: may(z.array(label).min(1).max(20)), direction: may(direction), first_only: may(z.boolean()) },
    { object_types: ["conversation"] },
  ),
  define(messages, "inbox.prospect", "A prospect is created or converted.", events("created", "converted", "dismissed")),
  define(
    records,
    "task.event",
    "A task is created, completed or overdue.",
    { ...events("created", "completed", "overdue"), task_type: may(label) },
    {
      object_types: ["task"],
      listens: ({ event }) => namesFor("task", event),
      matches: ({ task_type }, { record }) => task_type == null || record._type === task_type,
    },
  ),
  define(messages, "sequence.event", "A contact's subscription to a sequence changes.", {
    sequence_id: naming(may(id), "sequence"),
    ...events("subscribed", "step_done", "replied", "finished", "failed", "paused"),
  }),
  define(other, "automation.event", "Another automation ends.", {
    automation_id: naming(need(id), "automation", "automations"),
    ...events("completed", "failed", "goal"),
  }),
  define(time, "schedule.cron", "At certain times, once or for each of some records.", {
    cron: need(
      z
        .string()
        .regex(/^(\S+\s+){4}\S+$/, { error: 'must have five parts, such as "0 9 * * 1"' })
        .max(100),
    ),
    timezone: need(zone),
    for_each: may(
      z.strictObject({ object_type: objectType, condition: values.optional(), limit: z.int().min(1).max(50_000).optional() }),
    ),
  }),
  define(time, "schedule.date", "Some time before or after a date of a record.", {
    object_type: need(objectType),
    date_field: need(fieldName),
    offset: need(
      z.strictObject({ amount: z.int().min(0).max(10_000), unit: z.enum(units), direction: z.enum(["before", "after"]) }),
    ),
    at: may(clockTime),
    timezone: may(zone),
    recurrence: may(oneOf("yearly")),
    condition: may(values),
  }),
  define(time, "record.inactive", "Nothing has happened at a record for some days.", {
    object_type: need(objectType),
    days: need(z.int().min(1).max(3650)),
    activity_kinds: may(activityKinds),
  }),
  define(
    records,
    "quote.event",
    "A quote is sent, accepted, declined or expires.",
    events("created", "sent", "accepted", "declined", "expired", "canceled"),
  ),
  define(records, "project.event", "A project is started or completed.", events("created", "completed", "canceled")),
  define(records, "file.event", "A file is added or removed.", {
    ...events("created", "updated", "deleted"),
    subtype_id: naming(may(id), "file_subtype"),
  }),
  define(other, "enrichment.done", "A record has been enriched.", {
    result: may(oneOf("completed", "no_match", "failed")),
  }),
  define(other, "import.done", "An import has ended.", { result: may(oneOf("done", "error")) }),
  define(other, "dialer.done", "A dialer has called all its contacts.", { dialer_id: naming(may(id), "dialer") }),
  define(
    records,
    "custom_object.event",
    "A custom object is created, changed or deleted.",
    { custom_object_type_id: naming(need(id), "custom_object_type"), ...events("created", "updated", "deleted") },
    { object_types: ["custom_object"] },
  ),
  define(other, "webhook.received", "Another service sends a request to the automation's own address.", {
    verification: need(
      z.strictObject({
        mode: z.enum(["standard", "hmac_custom", "token", "none"]),
        header: label.optional(),
        algorithm: z.enum(["sha256", "sha1", "sha512"]).optional(),
        encoding: z.enum(["hex", "base64"]).optional(),
        prefix: z.string().max(100).optional(),
        timestamp_header: label.optional(),
        signed: z.string().max(255).optional(),
      }),
    ),
    payload_schema: may(values),
    record_lookup: may(
      z.strictObject({
        object_type: objectType,
        match: z
          .array(z.strictObject({ field: fieldName, value: anything }))
          .min(1)
          .max(10),
      }),
    ),
    create_if_missing: may(z.boolean()),
  }),
  define(
    other,
    "manual",
    "Somebody starts it.",
    { object_type: may(objectType), input_schema: may(values), allow_bulk: may(z.boolean()) },
    { byHand: true },
  ),
];
