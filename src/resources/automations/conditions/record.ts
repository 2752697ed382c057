// Conditions about the record itself.
import { z } from "zod";
import { anything, defining, fieldName, id, ids, label, may, need, oneOf, positive, values } from "../catalog.ts";
import { compares } from "../comparing.ts";
import { type Facts, type Values, valueAt } from "../facts.ts";
import { type Asked, type ConditionType, fieldOperators } from "./condition.ts";

const define = defining<ConditionType>();
const record = "record";
const comparison = oneOf("is", "is_not", "gt", "gte", "lt", "lte");
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

export const recordConditions: readonly ConditionType[] = [
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
  define(record, "related", "Its related records.", {
    relation: need(z.string().regex(/^[a-z_]+\.[a-z_]+$/, { error: "must be a relation such as lead.contacts" })),
    quantifier: need(oneOf("any", "all", "none", "count")),
    count_op: may(comparison),
    count: may(z.int().min(0).max(1_000_000)),
    where,
  }),
  define(record, "custom_object", "Its custom objects.", { custom_object_type_id: need(id), where, count: may(positive) }),
  define(record, "custom_activity", "Its custom activities.", {
    custom_activity_type_id: need(id),
    where,
    count: may(positive),
  }),
];
