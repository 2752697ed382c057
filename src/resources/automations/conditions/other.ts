// Conditions about people, times and the event that started the run.
import { z } from "zod";
import { sql } from "../../../db/sql.ts";
import { findRecords } from "../../../records/records.ts";
import { lead } from "../../leads/lead.ts";
import { group } from "../../organization/group.ts";
import { user } from "../../organization/user.ts";
import { schedule } from "../../sequences/schedule.ts";
import { calendarOf } from "../calendar.ts";
import { anything, defining, ids, label, may, naming, need, oneOf, zone } from "../catalog.ts";
import { compares } from "../comparing.ts";
import { type Values, valueAt } from "../facts.ts";
import { shareOf } from "../share_of.ts";
import { businessTimeMeets, windows } from "./business_time.ts";
import { type Asked, type ConditionType, fieldOperators } from "./condition.ts";
import { contactableMeets } from "./contactable.ts";
import { idOf, ownerOf } from "./subject.ts";

const define = defining<ConditionType>();
const other = "other";
const comparison = oneOf("is", "is_not", "gt", "gte", "lt", "lte");

/** The same record always falls on the same side. */
function randomMeets({ percent, salt }: Values, { facts: { record } }: Asked): boolean {
  return shareOf(`${record?.id ?? ""} ${salt ?? ""}`) * 100 < Number(percent);
}

function payloadMeets({ path, op, value }: Values, { ctx, facts, now, found: say }: Asked): boolean {
  const words = String(path)
    .split("/")
    .slice(1)
    .map((one) => one.replaceAll("~1", "/").replaceAll("~0", "~"));
  let found: unknown = facts.trigger.payload;
  for (const word of words) found = typeof found === "object" && found !== null ? (found as Values)[word] : undefined;
  say?.(found);
  return compares(String(op), found ?? null, value, now, calendarOf(ctx));
}

function actorMeets({ actor_type: type, user_ids }: Values, { facts }: Asked): boolean {
  const user = valueAt(facts, "trigger.actor.user_id") ?? null;
  const is = facts.run.cause ?? (user === null ? "system" : "user");
  return (
    (type == null || type === is || (type === "user" && is === "api")) && (!Array.isArray(user_ids) || user_ids.includes(user))
  );
}

function roleMeets({ role_ids }: Values, { ctx, facts }: Asked): boolean {
  const role = ctx.directory.get(user, ownerOf(facts.record))?.role_id;
  return typeof role === "string" && Array.isArray(role_ids) && role_ids.includes(role);
}

function groupMeets({ group_ids }: Values, { ctx, facts }: Asked): boolean {
  const owner = ownerOf(facts.record);
  return owner !== null && (group_ids as string[]).some((id) => ctx.directory.get(group, id)?.user_ids.includes(owner));
}

/** The score of the lead: its own, or that of the lead it belongs to. A lead without a score meets no comparison. */
async function scoreMeets({ op, value }: Values, { ctx, facts: { record }, now, found: say }: Asked): Promise<boolean> {
  const id = idOf(lead, record);
  const [found] = id === null ? [] : await findRecords(ctx, lead, [sql`t.id = ${id}`]);
  say?.(found?.score);
  return found?.score != null && compares(String(op), found.score, value, now);
}

export const otherConditions: readonly ConditionType[] = [
  define(other, "role", "Its owner has a role.", { role_ids: naming(need(ids), "role") }, { meets: roleMeets }),
  define(
    other,
    "group_member",
    "Its owner is in a group.",
    { group_ids: naming(need(ids), "group") },
    { meets: groupMeets, watches: ({ group_ids }) => group_ids as string[] },
  ),
  define(
    other,
    "contactable",
    "Whether the person, or anybody at the lead, can be contacted by automations.",
    { channel: need(oneOf("email", "sms", "call")) },
    { meets: contactableMeets },
  ),
  define(
    other,
    "business_time",
    "Whether it is within working hours: by default Monday to Friday from 09:00 to 17:00, in the zone of the record.",
    { schedule: may(schedule), windows: may(windows), timezone: may(zone) },
    { meets: businessTimeMeets, byTime: () => true },
  ),
  define(
    other,
    "random",
    "A fixed share of all records.",
    {
      percent: need(z.number().min(0).max(100)),
      salt: may(label),
    },
    { meets: randomMeets, reads: () => [] },
  ),
  define(
    other,
    "score",
    "The score of its lead, from 0 to 100.",
    { model: may(oneOf("icp")), op: need(comparison), value: need(z.number()) },
    { meets: scoreMeets },
  ),
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
    { actor_type: may(oneOf("user", "api", "automation", "system")), user_ids: naming(may(ids), "user") },
    { meets: actorMeets },
  ),
];
