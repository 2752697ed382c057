// Conditions about what has happened at a record.
import { z } from "zod";
import { activityKinds, defining, direction, duration, id, may, need, oneOf } from "../catalog.ts";
import type { ConditionType } from "./condition.ts";

const define = defining<ConditionType>();
const history = "history";
const comparison = oneOf("is", "is_not", "gt", "gte", "lt", "lte");

export const historyConditions: readonly ConditionType[] = [
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
];
