// Conditions about people, times and the event that started the run.
import { z } from "zod";
import { anything, defining, ids, label, may, need, oneOf, values, zone } from "../catalog.ts";
import { compares } from "../comparing.ts";
import { type Values, valueAt } from "../facts.ts";
import { shareOf } from "../share_of.ts";
import { type Asked, type ConditionType, fieldOperators } from "./condition.ts";

const define = defining<ConditionType>();
const other = "other";
const comparison = oneOf("is", "is_not", "gt", "gte", "lt", "lte");

/** The same record always falls on the same side. */
function randomMeets({ percent, salt }: Values, { facts: { record } }: Asked): boolean {
  return shareOf(`${record?.id ?? ""} ${salt ?? ""}`) * 100 < Number(percent);
}

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

export const otherConditions: readonly ConditionType[] = [
  define(other, "role", "Its owner has a role.", { role_ids: need(ids) }),
  define(other, "group_member", "Its owner is in a group.", { group_ids: need(ids) }),
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
];
