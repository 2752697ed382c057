// Conditions.
import type { ConditionExample } from "./example.ts";

export const conditionExamples: Record<string, ConditionExample> = {
  field: () => [
    { ref: "record.industry", op: "starts_with", value: "soft" },
    { ref: "record.mrr", op: "gt", value: 10 },
  ],
  changed: () => [
    { field: "industry", from: "Steel", to: "Software" },
    { field: "industry", to: "Steel" },
  ],
  tag: () => [{ tag: "Hot" }, { tag: "hot", present: false }],
  status: (_acme, { lead }) => [{ status_id: lead.status_id }, { status_id: "stat_other" }],
  pipeline: () => [{ pipeline_id: "pipe_none" }, { pipeline_id: "pipe_none" }],
  owner: (acme) => [{ user_ids: [acme.userId], is_actor: true }, { is_null: true }],
  random: () => [{ percent: 100 }, { percent: 0 }],
  payload: () => [
    { path: "/order/total", op: "not_exists" },
    { path: "/order/total", op: "gt", value: 1 },
  ],
  actor: (acme) => [{ actor_type: "user", user_ids: [acme.userId] }, { actor_type: "automation" }],
};
