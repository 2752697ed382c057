// Conditions about the record itself.
import { z } from "zod";
import { name, sql } from "../../../db/sql.ts";
import { isId } from "../../../values/id.ts";
import { calendarOf } from "../calendar.ts";
import { anything, defining, fieldName, id, ids, label, may, naming, need, oneOf, positive, values } from "../catalog.ts";
import { compares } from "../comparing.ts";
import { isObject, roots } from "../config.ts";
import { type Facts, type Values, valueAt } from "../facts.ts";
import { type Asked, type ConditionType, fieldOperators } from "./condition.ts";
import { relatedMeets, typedMeets } from "./related.ts";
import { idOf, isThere, ownerOf } from "./subject.ts";

const define = defining<ConditionType>();
const record = "record";
const comparison = oneOf("is", "is_not", "gt", "gte", "lt", "lte");
const present = may(z.boolean());
const where = may(values);
const statuses = ["lead_status", "opportunity_status"];

/** A path from one of the roots that references have. Any other is a field of the record. */
const pathOf = (ref: unknown): string => (roots.includes(String(ref).split(".")[0]!) ? String(ref) : `record.${ref}`);

/** A field, by its reference. `changed` is about the event that started the run. */
function fieldMeets({ ref, op, value }: Values, { ctx, facts, now, found }: Asked): boolean {
  const path = pathOf(ref);
  found?.(op === "changed" ? changedFields(facts) : valueAt(facts, path));
  if (op === "changed") return changedFields(facts).includes(path.replace(/^record\./, ""));
  return compares(String(op), valueAt(facts, path), value, now, calendarOf(ctx));
}

const changedFields = ({ trigger }: Facts): unknown[] => (Array.isArray(trigger.changed_fields) ? trigger.changed_fields : []);

function changeMeets({ field, from, to }: Values, { facts, now, found }: Asked): boolean {
  const [was, is] = [valueAt(facts, `trigger.previous.${field}`), valueAt(facts, `trigger.record.${field}`)];
  found?.(changedFields(facts).includes(field) ? { from: was, to: is } : null);
  const isOne = (wanted: unknown, value: unknown) =>
    wanted == null || compares(Array.isArray(wanted) ? "in" : "is", value, wanted, now);
  return changedFields(facts).includes(field) && isOne(from, was) && isOne(to, is);
}

/** The field that it looks at, if it is the record's own. */
function fieldsRead({ ref, op }: Values): string[] | null {
  const [, own] = /^record\.(custom\.\w+|\w+)$/.exec(pathOf(ref)) ?? [];
  return own === undefined || op === "changed" ? null : [own];
}

/** Whether it compares with a moment that moves on. */
const comparesWithNow = ({ op, value }: Values): boolean =>
  op === "within_last" || op === "within_next" || ((op === "before" || op === "after") && isObject(value));

function tagMeets({ tag, present }: Values, { facts, now, found }: Asked): boolean {
  found?.(facts.record?.tags);
  return compares("contains", facts.record?.tags ?? [], tag, now) === (present !== false);
}

async function listMeets({ list_id, present }: Values, { ctx, facts }: Asked): Promise<boolean> {
  const listed = ["lead", "contact"].find((one) => isId(ctx.registry.resource(`${one}_list`)!.prefix, String(list_id)));
  const member = listed === undefined ? null : idOf(ctx.registry.resource(listed)!, facts.record);
  const isOn =
    member !== null &&
    (await isThere(ctx, ctx.registry.resource(`${listed}_list_member`)!, [
      sql`t.list_id = ${list_id}`,
      sql`t.${name(`${listed}_id`)} = ${member}`,
    ]));
  return isOn === (present !== false);
}

/** Its status as stored, by which the type and the pipeline are known, also of the record as it was. */
function statusOf({ ctx: { directory }, facts: { record } }: Asked): Values | undefined {
  const id = String(record?.status_id);
  return directory.find("opportunity_status", id) ?? directory.find("lead_status", id);
}

function statusMeets({ status_id, status_ids, status_type }: Values, asked: Asked): boolean {
  const among = [...(Array.isArray(status_ids) ? status_ids : []), ...(status_id == null ? [] : [status_id])];
  const status = statusOf(asked);
  asked.found?.(status?.id);
  return (among.length === 0 || among.includes(status?.id)) && (status_type == null || status?.type === status_type);
}

function ownerMeets({ user_ids, is_null, is_actor }: Values, { facts, found }: Asked): boolean {
  const owner = ownerOf(facts.record);
  found?.(owner);
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
    { meets: fieldMeets, reads: fieldsRead, byTime: comparesWithNow },
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
  define(record, "tag", "It has a tag.", { tag: need(label), present }, { meets: tagMeets, reads: () => ["tags"] }),
  define(
    record,
    "list_member",
    "It, or its lead or contact, is on a list.",
    { list_id: naming(need(id), "lead_list", "contact_list"), present },
    { meets: listMeets, watches: ({ list_id }) => [String(list_id)] },
  ),
  define(
    record,
    "status",
    "It has a status, or one of a type.",
    {
      status_id: naming(may(id), ...statuses),
      status_ids: naming(may(ids), ...statuses),
      status_type: may(oneOf("active", "won", "lost")),
    },
    { meets: statusMeets, reads: () => ["status_id"] },
  ),
  define(
    record,
    "pipeline",
    "It is in a pipeline.",
    { pipeline_id: naming(need(id), "pipeline") },
    { meets: ({ pipeline_id }, asked) => statusOf(asked)?.pipeline_id === pipeline_id, reads: () => ["status_id"] },
  ),
  define(
    record,
    "owner",
    "It has an owner, a certain owner, or none.",
    {
      user_ids: naming(may(ids), "user"),
      is_null: may(z.boolean()),
      is_actor: may(z.boolean()),
    },
    { meets: ownerMeets, reads: ({ is_actor }) => (is_actor == null ? ["owner_id", "user_id", "assigned_to"] : null) },
  ),
  define(
    record,
    "related",
    "Any, all, none or a number of its related records meet conditions.",
    {
      relation: need(z.string().regex(/^[a-z_]+\.[a-z_]+$/, { error: "must be a relation such as lead.contacts" })),
      quantifier: need(oneOf("any", "all", "none", "count")),
      count_op: may(comparison),
      count: may(z.int().min(0).max(5000)),
      where,
    },
    { meets: relatedMeets },
  ),
  define(
    record,
    "custom_object",
    "Its lead has custom objects of a type.",
    { custom_object_type_id: naming(need(id), "custom_object_type"), where, count: may(positive) },
    { meets: typedMeets("custom_object", "custom_object_type_id") },
  ),
  define(
    record,
    "custom_activity",
    "It has custom activities of a type.",
    { custom_activity_type_id: naming(need(id), "custom_activity_type"), where, count: may(positive) },
    { meets: typedMeets("activity_custom_activity", "custom_activity_type_id") },
  ),
];
