// Conditions.
import { chain, published } from "../../../../test/support/automations.ts";
import { write } from "../../../core/context.ts";
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
  list_member: async (acme, { lead }) => {
    const [on, off] = [await acme.post("/lead_list/", { name: "On" }), await acme.post("/lead_list/", { name: "Off" })];
    await acme.post(`/lead_list/${on.id}/members/`, { lead_ids: [lead.id] });
    return [{ list_id: on.id }, { list_id: off.id }];
  },
  status: async (acme, { lead }) => [
    { status_id: lead.status_id },
    { status_id: (await acme.get("/status/lead/")).data.at(-1).id },
  ],
  pipeline: async (acme) => {
    const [{ id: pipeline_id }] = (await acme.get("/pipeline/")).data;
    return [{ pipeline_id }, { pipeline_id }];
  },
  owner: (acme) => [{ user_ids: [acme.userId], is_actor: true }, { is_null: true }],
  role: () => [{ role_ids: ["admin"] }, { role_ids: ["user"] }],
  group_member: async (acme) => {
    const group = (name: string, user_ids: string[]) => acme.post("/group/", { name, user_ids });
    const [theirs, other] = [await group("Theirs", [acme.userId]), await group("Others", [])];
    return [{ group_ids: [theirs.id] }, { group_ids: [other.id] }];
  },
  related: async (acme, { lead }) => {
    for (const title of ["CEO", "CTO"]) await acme.contact({ lead_id: lead.id, title });
    const where = { type: "field", ref: "record.title", op: "is", value: "CEO" };
    return [
      { relation: "lead.contacts", quantifier: "count", count_op: "is", count: 1, where },
      { relation: "lead.contacts", quantifier: "all", where },
    ];
  },
  custom_object: async (acme, { lead }) => {
    const type = await acme.post("/custom_object_type/", { name: "Car" });
    await acme.post("/custom_object/", { lead_id: lead.id, custom_object_type_id: type.id, name: "Red" });
    const where = { type: "field", ref: "record.name", op: "is", value: "red" };
    return [
      { custom_object_type_id: type.id, where },
      { custom_object_type_id: type.id, where, count: 2 },
    ];
  },
  custom_activity: async (acme, { lead }) => {
    const type = await acme.post("/custom_activity/", { name: "Visit" });
    const visit = (status: string) =>
      acme.post("/activity/custom/", { lead_id: lead.id, custom_activity_type_id: type.id, status });
    for (const status of ["published", "draft"]) await visit(status);
    const where = { type: "field", ref: "record.status", op: "is", value: "published" };
    return [
      { custom_activity_type_id: type.id, where },
      { custom_activity_type_id: type.id, where, count: 2 },
    ];
  },
  activity_count: async (acme, { lead }) => {
    await acme.note({ lead_id: lead.id });
    return [
      { kinds: ["note"], window: { amount: 1, unit: "days" }, op: "gte", value: 1 },
      { kinds: ["email"], op: "gt", value: 0 },
    ];
  },
  last_activity: async (acme, { lead }) => {
    await acme.note({ lead_id: lead.id });
    const window = { amount: 2, unit: "weeks" };
    return [
      { kinds: ["email"], op: "not_within_last", window },
      { kinds: ["note"], op: "not_within_last", window },
    ];
  },
  sequence_state: async (acme, { lead }) => {
    const sequence = await acme.post("/sequence/", {
      name: "Follow",
      steps: [{ step_type: "call", text: "Say hello", delay: 86_400 }],
      status: "active",
    });
    const contact = await acme.contact({ lead_id: lead.id });
    await acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: contact.id });
    return [
      { sequence_id: sequence.id, state: "active" },
      { sequence_id: sequence.id, state: "never" },
    ];
  },
  automation_state: async (acme) => {
    const { id } = await published(acme, chain(["set.vars", { values: {} }]));
    return [
      { automation_id: id, state: "never" },
      { automation_id: id, state: "in" },
    ];
  },
  contactable: async (acme, { lead }) => {
    await acme.contact({ lead_id: lead.id, emails: [{ email: "ada@example.org" }] });
    return [{ channel: "email" }, { channel: "sms" }];
  },
  business_time: () => {
    const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    const always = [
      { days, from: "00:00", to: "12:00" },
      { days, from: "12:00", to: "00:00" },
    ];
    const blocked_dates = [-1, 0, 1].map((one) => new Date(Date.now() + one * 86_400_000).toISOString().slice(0, 10));
    return [
      { windows: always, timezone: "UTC" },
      { windows: always.map((one) => ({ ...one, blocked_dates })), timezone: "UTC" },
    ];
  },
  score: async (acme, { lead: { id } }) => {
    const text = "update lead set score = 80 where organization_id = $1 and id = $2";
    await acme.inside(async (ctx) => write(ctx, { text, values: [acme.id, id] }));
    return [
      { op: "gte", value: 70 },
      { op: "lt", value: 70 },
    ];
  },
  random: () => [{ percent: 100 }, { percent: 0 }],
  payload: () => [
    { path: "/order/total", op: "not_exists" },
    { path: "/order/total", op: "gt", value: 1 },
  ],
  actor: (acme) => [{ actor_type: "user", user_ids: [acme.userId] }, { actor_type: "automation" }],
};
