// The conditions that an automation can check before it starts and between its steps.
import { hash } from "node:crypto";
import { z } from "zod";
import {
  activityKinds,
  anything,
  defining,
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
import { compares } from "./comparing.ts";
import { type Facts, type Values, valueAt } from "./facts.ts";

/** What a condition is asked of. */
export interface Asked {
  facts: Facts;
  now: Date;
}

/** A condition that this release carries out says whether it is met. Its references and templates are filled in. */
export interface ConditionType extends TypeDefinition {
  meets?(leaf: Values, asked: Asked): boolean;
}

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

const define = defining<ConditionType>();
const comparison = oneOf("is", "is_not", "gt", "gte", "lt", "lte");
const record = "record";
const history = "history";
const other = "other";
const present = may(z.boolean());
const where = may(values);

const pathOf = (ref: unknown): string =>
  /^(record|trigger|steps|vars|run|org|now)\b/.test(String(ref)) ? String(ref) : `record.${ref}`;

/** A field, by its reference. `changed` is about the event that started the run. */
function fieldMeets({ ref, op, value }: Values, { facts, now }: Asked): boolean {
  const path = pathOf(ref);
  if (op === "changed") return changedFields(facts).includes(path.replace(/^record\./, ""));
  return compares(String(op), valueAt(facts, path), value, now);
}

const changedFields = ({ trigger }: Facts): unknown[] => (Array.isArray(trigger.changed_fields) ? trigger.changed_fields : []);

function changeMeets({ field, from, to }: Values, { facts, now }: Asked): boolean {
  const [was, is] = [valueAt(facts, `trigger.previous.${field}`), valueAt(facts, `trigger.record.${field}`)];
  const isOne = (wanted: unknown, value: unknown) =>
    wanted == null || compares(Array.isArray(wanted) ? "in" : "is", value, wanted, now);
  return changedFields(facts).includes(field) && isOne(from, was) && isOne(to, is);
}

const recordHas =
  (field: string, key: string) =>
  ({ present, ...leaf }: Values, { facts, now }: Asked): boolean => {
    const has = compares("contains", facts.record?.[field] ?? [], leaf[key], now);
    return present === false ? !has : has;
  };

function statusMeets({ status_id, status_ids, status_type }: Values, { facts: { record } }: Asked): boolean {
  const among = [...(Array.isArray(status_ids) ? status_ids : []), ...(status_id == null ? [] : [status_id])];
  return (
    (among.length === 0 || among.includes(record?.status_id)) && (status_type == null || record?.status_type === status_type)
  );
}

function ownerMeets({ user_ids, is_null, is_actor }: Values, { facts }: Asked): boolean {
  const owner = facts.record?.owner_id ?? facts.record?.user_id ?? facts.record?.assigned_to ?? null;
  if (typeof is_null === "boolean" && (owner === null) !== is_null) return false;
  if (typeof is_actor === "boolean" && (owner !== null && owner === valueAt(facts, "trigger.actor.user_id")) !== is_actor)
    return false;
  return !Array.isArray(user_ids) || user_ids.includes(owner);
}

/** The same record always falls on the same side. */
function randomMeets({ percent, salt }: Values, { facts: { record } }: Asked): boolean {
  return shareOf(`${record?.id ?? ""} ${salt ?? ""}`) * 100 < Number(percent);
}

/** Spreads texts evenly from 0 to 1, each always to the same place. */
export const shareOf = (text: string): number => Number.parseInt(hash("sha1", text, "hex").slice(0, 8), 16) / 2 ** 32;

function payloadMeets({ path, op, value }: Values, { facts, now }: Asked): boolean {
  const words = String(path)
    .split("/")
    .slice(1)
    .map((one) => one.replaceAll("~1", "/").replaceAll("~0", "~"));
  let found: unknown = facts.trigger.payload;
  for (const word of words) found = typeof found === "object" && found !== null ? (found as Values)[word] : undefined;
  return compares(String(op), found ?? null, value, now);
}

function actorMeets({ actor_type: type, user_ids }: Values, { facts }: Asked): boolean {
  const user = valueAt(facts, "trigger.actor.user_id") ?? null;
  const is = facts.run.cause ?? (user === null ? "system" : "user");
  return (
    (type == null || type === is || (type === "user" && is === "api")) && (!Array.isArray(user_ids) || user_ids.includes(user))
  );
}

export const conditionTypes: readonly ConditionType[] = [
  define(
    record,
    "field",
    "A field compared with a value.",
    {
      ref: need(fieldName),
      op: need(z.enum(fieldOperators)),
      value: may(anything),
    },
    { meets: fieldMeets },
  ),
  define(
    record,
    "changed",
    "The change that started it included this field.",
    {
      field: need(fieldName),
      from: may(anything),
      to: may(anything),
    },
    { meets: changeMeets },
  ),
  define(record, "tag", "It has a tag.", { tag: need(label), present }, { meets: recordHas("tags", "tag") }),
  define(record, "list_member", "It is on a list.", { list_id: need(id), present }),
  define(
    record,
    "status",
    "It has a status, or one of a type.",
    {
      status_id: may(id),
      status_ids: may(ids),
      status_type: may(oneOf("active", "won", "lost")),
    },
    { meets: statusMeets },
  ),
  define(
    record,
    "pipeline",
    "It is in a pipeline.",
    { pipeline_id: need(id) },
    { meets: ({ pipeline_id }, { facts }) => facts.record?.pipeline_id === pipeline_id },
  ),
  define(
    record,
    "owner",
    "It has an owner, a certain owner, or none.",
    {
      user_ids: may(ids),
      is_null: may(z.boolean()),
      is_actor: may(z.boolean()),
    },
    { meets: ownerMeets },
  ),
  define(other, "role", "Its owner has a role.", { role_ids: need(ids) }),
  define(other, "group_member", "Its owner is in a group.", { group_ids: need(ids) }),
  define(record, "related", "Its related records.", {
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
  define(other, "contactable", "Whether the person can be contacted.", { channel: need(oneOf("email", "sms", "call")) }),
  define(other, "business_time", "Whether it is within working hours.", {
    windows: may(values),
    timezone: may(zone),
  }),
  define(
    other,
    "random",
    "A fixed share of all records.",
    {
      percent: need(z.number().min(0).max(100)),
      salt: may(label),
    },
    { meets: randomMeets },
  ),
  define(other, "score", "Its score.", { model: may(label), op: need(comparison), value: need(z.number()) }),
  define(
    other,
    "payload",
    "A value of the starting event, by JSON Pointer.",
    {
      path: need(
        z
          .string()
          .regex(/^(\/[^/]*)*$/, { error: "must be a JSON Pointer such as /order/total" })
          .max(1000),
      ),
      op: need(z.enum(fieldOperators)),
      value: may(anything),
    },
    { meets: payloadMeets },
  ),
  define(
    other,
    "actor",
    "Who caused it.",
    { actor_type: may(oneOf("user", "api", "automation", "system")), user_ids: may(ids) },
    { meets: actorMeets },
  ),
  define(record, "custom_object", "Its custom objects.", { custom_object_type_id: need(id), where, count: may(positive) }),
  define(record, "custom_activity", "Its custom activities.", {
    custom_activity_type_id: need(id),
    where,
    count: may(positive),
  }),
];
