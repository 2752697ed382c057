// Triggers that changes of records start.
import { z } from "zod";
import {
  anything,
  defining,
  fieldName,
  id,
  ids,
  label,
  may,
  naming,
  need,
  objectType,
  oneOf,
  someOf,
  values,
} from "../catalog.ts";
import { fieldsRead } from "../condition_leaves.ts";
import { becameStatus, changedAny, changedFrom, changedStatus, changedTag, isFrom, namesFor } from "../event_matching.ts";
import type { Occurrence } from "../occurrence.ts";
import { filesOfKind, isOfList, listedRecords, namesOfList } from "../subjects.ts";
import { type Config, events, type TriggerType } from "./trigger_type.ts";

const define = defining<TriggerType>();
const records = "records";
const from = may(z.array(anything).max(100));
const change = need(oneOf("added", "removed"));

/** What changes none of the fields that the condition reads cannot make it true. */
const decides = ({ condition }: Config, { event, changed_fields }: Occurrence): boolean =>
  event.endsWith(".created") || (fieldsRead(condition) ?? []).some((one) => changed_fields.includes(one));

/** Which value it had before is not known. */
const hasValue = ({ field, from, to }: Config): object | null =>
  from?.length || !to?.length ? null : { type: "field", ref: `record.${String(field)}`, op: "in", value: to };

function hasStatus({ from, to, to_type, pipeline_id }: Config): object | null {
  const asked = [
    ...(to?.length ? [{ type: "status", status_ids: to }] : []),
    ...(to_type == null ? [] : [{ type: "status", status_type: to_type }]),
    ...(pipeline_id == null ? [] : [{ type: "field", ref: "record.pipeline_id", op: "is", value: pipeline_id }]),
  ];
  return from?.length || asked.length === 0 ? null : { all: asked };
}

export const recordTriggers: readonly TriggerType[] = [
  define(
    records,
    "record.created",
    "A record is created.",
    { object_type: need(objectType), sources: may(someOf("user", "api", "import", "automation", "share")) },
    {
      listens: ({ object_type }) => namesFor(object_type, "created"),
      matches: isFrom,
      existing: ({ sources }) => (sources == null ? {} : null),
    },
  ),
  define(
    records,
    "record.updated",
    "A record is changed, or one of some of its fields.",
    { object_type: need(objectType), fields: may(z.array(fieldName).min(1).max(100)), ignore_actors: may(ids) },
    {
      listens: ({ object_type }) => namesFor(object_type, "updated"),
      matches: changedAny,
      existing: ({ ignore_actors }) => (ignore_actors == null ? {} : null),
    },
  ),
  define(
    records,
    "record.deleted",
    "A record is deleted.",
    { object_type: need(objectType) },
    { listens: ({ object_type }) => namesFor(object_type, "deleted") },
  ),
  define(
    records,
    "field.changed",
    "A field changes from one value to another.",
    { object_type: need(objectType), field: need(fieldName), from, to: from },
    { listens: ({ object_type }) => namesFor(object_type, "updated"), matches: changedFrom, existing: hasValue },
  ),
  define(
    records,
    "record.matches",
    "A record starts to meet a condition.",
    { object_type: need(objectType), condition: need(values) },
    {
      listens: ({ object_type }) => namesFor(object_type, "created", "updated"),
      matches: decides,
      onlyEdge: true,
      existing: () => ({}),
    },
  ),
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
      existing: hasStatus,
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
      existing: ({ tag, change }) => (change === "added" ? { type: "tag", tag } : null),
    },
  ),
  define(
    records,
    "list.membership",
    "A record joins or leaves a list.",
    { list_id: naming(need(id), "lead_list", "contact_list"), change },
    { object_types: ["lead", "contact"], listens: namesOfList, matches: isOfList, about: listedRecords },
  ),
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
  define(
    records,
    "quote.event",
    "A quote is sent, accepted, declined or expires.",
    events("created", "sent", "accepted", "declined", "expired", "canceled"),
    { object_types: ["quote"], listens: ({ event }) => namesFor("quote", event) },
  ),
  define(records, "project.event", "A project is started, completed or canceled.", events("created", "completed", "canceled"), {
    object_types: ["project"],
    listens: ({ event }) => namesFor("project", "created", ...(event === "created" ? [] : ["updated"])),
    matches: becameStatus,
  }),
  define(
    records,
    "file.event",
    "A file is added, changed or removed.",
    { ...events("created", "updated", "deleted"), subtype_id: naming(may(id), "file_subtype") },
    { object_types: ["file"], listens: ({ event }) => namesFor("file", event), about: filesOfKind },
  ),
  define(
    records,
    "custom_object.event",
    "A custom object is created, changed or deleted.",
    { custom_object_type_id: naming(need(id), "custom_object_type"), ...events("created", "updated", "deleted") },
    {
      object_types: ["custom_object"],
      listens: ({ event }) => namesFor("custom_object", event),
      matches: ({ custom_object_type_id }, { record }) => record.custom_object_type_id === custom_object_type_id,
    },
  ),
];
