// What an automation can ask of a record before it starts, and on its way.
import { z } from "zod";
import {
  activityKinds,
  anything,
  define,
  direction,
  duration,
  fieldName,
  id,
  ids,
  label,
  may,
  need,
  oneOf,
  positive,
  type TypeDefinition,
  values,
  zone,
} from "./catalog.ts";

/** How a field is compared. */
export const fieldOperators = [
  "is",
  "is_not",
  "in",
  "not_in",
  "contains",
  "not_contains",
  "starts_with",
  "ends_with",
  "gt",
  "gte",
  "lt",
  "lte",
  "between",
  "exists",
  "not_exists",
  "changed",
  "is_true",
  "is_false",
  "before",
  "after",
  "within_last",
  "within_next",
] as const;

const comparison = oneOf("is", "is_not", "gt", "gte", "lt", "lte");
const record = "record";
const history = "history";
const other = "other";
const present = may(z.boolean());
const where = may(values);

export const conditionTypes: readonly TypeDefinition[] = [
  define(record, "field", "A field compared with a value.", {
    ref: need(fieldName),
    op: need(z.enum(fieldOperators)),
    value: may(anything),
  }),
  define(record, "changed", "The change that started it was of this field.", {
    field: need(fieldName),
    from: may(anything),
    to: may(anything),
  }),
  define(record, "tag", "It has a tag.", { tag: need(label), present }),
  define(record, "list_member", "It is on a list.", { list_id: need(id), present }),
  define(record, "status", "It has a status, or one of a type.", {
    status_id: may(id),
    status_ids: may(ids),
    status_type: may(oneOf("active", "won", "lost")),
  }),
  define(record, "pipeline", "It is in a pipeline.", { pipeline_id: need(id) }),
  define(record, "owner", "It belongs to somebody, or nobody.", {
    user_ids: may(ids),
    is_null: may(z.boolean()),
    is_actor: may(z.boolean()),
  }),
  define(other, "role", "Its owner has a role.", { role_ids: need(ids) }),
  define(other, "group_member", "Its owner is in a group.", { group_ids: need(ids) }),
  define(record, "related", "The records around it.", {
    relation: need(z.string().regex(/^[a-z_]+\.[a-z_]+$/, { error: "must be a relation such as lead.contacts" })),
    quantifier: need(oneOf("any", "all", "none", "count")),
    count_op: may(comparison),
    count: may(z.int().min(0).max(1_000_000)),
    where,
  }),
  define(history, "activity_count", "How often something happened.", {
    kinds: may(activityKinds),
    direction: may(direction),
    window: may(duration),
    op: need(comparison),
    value: need(z.int().min(0).max(1_000_000)),
  }),
  define(history, "last_activity", "How long ago something happened.", {
    kinds: may(activityKinds),
    direction: may(direction),
    op: need(oneOf("within_last", "not_within_last")),
    window: need(duration),
  }),
  define(history, "sequence_state", "Whether it is or was in a sequence.", {
    sequence_id: may(id),
    state: need(oneOf("in", "never", "active", "finished")),
  }),
  define(history, "automation_state", "Whether it is or was in an automation.", {
    automation_id: may(id),
    state: need(oneOf("in", "never", "active", "finished")),
  }),
  define(other, "contactable", "Whether the person can and may be reached.", { channel: need(oneOf("email", "sms", "call")) }),
  define(other, "business_time", "Whether it is within working hours.", {
    windows: may(values),
    timezone: may(zone),
  }),
  define(other, "random", "Some of all records, always the same.", {
    percent: need(z.number().min(0).max(100)),
    salt: may(label),
  }),
  define(other, "score", "How well it fits.", { model: may(label), op: need(comparison), value: need(z.number()) }),
  define(other, "payload", "A value of what started it, by JSON Pointer.", {
    path: need(
      z
        .string()
        .regex(/^(\/[^/]*)*$/, { error: "must be a JSON Pointer such as /order/total" })
        .max(1000),
    ),
    op: need(z.enum(fieldOperators)),
    value: may(anything),
  }),
  define(other, "actor", "Who caused it.", { type: may(oneOf("user", "api", "automation", "system")), user_ids: may(ids) }),
  define(record, "custom_object", "Custom objects around it.", { custom_object_type_id: need(id), where, count: may(positive) }),
  define(record, "custom_activity", "Custom activities at it.", {
    custom_activity_type_id: need(id),
    where,
    count: may(positive),
  }),
];
