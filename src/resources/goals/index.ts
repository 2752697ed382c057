import type { Operation } from "../../core/operation.ts";
import { standard } from "../../records/standard.ts";
import { goal } from "./goal.ts";
import { setGoal } from "./goal_verbs.ts";

export const goals: Operation[] = standard(
  goal,
  { list: true, create: setGoal, delete: true },
  { read: "member", write: "manage_organization" },
  { create: { otherwise: { 200: "It already existed, and was updated." } } },
);
