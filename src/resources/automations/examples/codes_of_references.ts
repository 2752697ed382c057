// The same for the codes of what a graph refers to, of what it means, and of who may put it in force.
import { chain, newLead, published } from "../../../../test/support/automations.ts";
import type { Workspace } from "../../../../test/support/given.ts";
import type { FindingCode } from "../finding_codes.ts";
import { by, named, only, plainCodes, type Row, says } from "./codes.ts";

/** Every code, with its row. */
export async function codeExamples(acme: Workspace): Promise<Readonly<Record<FindingCode, Row>>> {
  const records = await recordsOf(acme);
  return { ...plainCodes, ...references(records), ...byNames(records), ...semantics, ...(await rights(acme)) };
}

const at = "graph.steps.s1.config";
const update = (fields: object) => only("record.update", { fields });
const where = (filter: object) => ({ filter });

const awaiting = (event: string) =>
  only("wait.event", { event, match: { lead_id: { $ref: "record.id" } }, timeout: { amount: 1, unit: "hours" } });

type Records = Awaited<ReturnType<typeof recordsOf>>;

/** What the corrected graphs name. */
async function recordsOf(acme: Workspace) {
  const sequence = { timezone: "UTC", steps: [{ step_type: "task", text: "Write", delay: { amount: 30, unit: "days" } }] };
  const call = chain(["note.create", { note: "x" }]);
  return {
    user: acme.userId,
    status: (await acme.get("/status/lead/")).data[0].id,
    pipeline: (await acme.get("/pipeline/")).data[0].id,
    group: (await acme.post("/group/", { name: "Group" })).id,
    visit: (await acme.post("/custom_activity/", { name: "Visit" })).id,
    template: (await acme.post("/email_template/", { name: "Hi", subject: "Hi", body: "<p>Hi</p>" })).id,
    list: (await acme.post("/lead_list/", { name: "List" })).id,
    number: (await acme.post("/phone_number/", { number: "+12125550177" })).id,
    sequence: (await acme.post("/sequence/", { name: "S", ...sequence })).id,
    paused: (await acme.post("/sequence/", { name: "P", ...sequence, status: "paused" })).id,
    byEvent: (await published(acme, call)).id,
    byHand: (await published(acme, call, by("manual", {}))).id,
  };
}

const template = ($template: string) => says({ $template });

const references = ({ user, status, list, number }: Records) =>
  ({
    ref_unknown: {
      path: `${at}.note.$ref`,
      wrong: says({ $ref: "steps.s9.output.id" }),
      mended: says({ $ref: "record.id" }),
    },
    ref_not_available_here: {
      path: `${at}.note.$ref`,
      wrong: says({ $ref: "item.name" }),
      mended: says({ $ref: "record.name" }),
    },
    ref_type_mismatch: {
      path: `${at}.user_id.$ref`,
      wrong: only("owner.assign", { mode: "fixed", user_id: { $ref: "record.status_id" } }),
      mended: only("owner.assign", { mode: "fixed", user_id: { $ref: "record.created_by" } }),
    },
    template_syntax: { path: `${at}.note.$template`, wrong: template("{{ record.name"), mended: template("{{ record.name }}") },
    template_unknown_filter: {
      path: `${at}.note.$template`,
      wrong: template("{{ record.name | upcas }}"),
      mended: template("{{ record.name | upcase }}"),
    },
    template_not_filled: {
      by: "warning",
      path: `${at}.note`,
      wrong: says("Hello {{ record.name }}"),
      mended: template("Hello {{ record.name }}"),
    },
    event_unknown: {
      path: `${at}.event`,
      wrong: awaiting("order.ready"),
      mended: awaiting("custom.order.ready"),
    },
    field_unknown: { path: `${at}.fields.nmae`, wrong: update({ nmae: "x" }), mended: update({ name: "x" }) },
    field_read_only: {
      path: `${at}.fields.date_created`,
      wrong: update({ date_created: "2026-01-01T00:00:00Z" }),
      mended: update({ name: "x" }),
    },
    relation_unknown: {
      path: "filter.relation",
      wrong: where({ type: "related", relation: "lead.contcts", quantifier: "any" }),
      mended: where({ type: "related", relation: "lead.contacts", quantifier: "any" }),
    },
    status_not_found: {
      path: `${at}.status_id`,
      wrong: only("status.set", { status_id: "stat_none" }),
      mended: only("status.set", { status_id: status }),
    },
    list_not_found: {
      path: `${at}.list_id`,
      wrong: only("list.change", { list_id: "list_none", change: "add" }),
      mended: only("list.change", { list_id: list, change: "add" }),
    },
    user_inactive: {
      path: `${at}.user_id`,
      wrong: only("owner.assign", { mode: "fixed", user_id: "user_none" }),
      mended: only("owner.assign", { mode: "fixed", user_id: user }),
    },
    connected_account_missing: {
      by: "warning",
      path: `${at}.from`,
      wrong: only("email.send", { to: { $ref: "record" }, subject: "Hi", body: "Hi" }),
      mended: only("email.draft", { to: { $ref: "record" }, subject: "Hi", body: "Hi" }),
    },
    phone_number_missing: {
      path: `${at}.from_number`,
      wrong: only("sms.send", { to: { $ref: "record" }, text: "Hi", from_number: "phon_none" }),
      mended: only("sms.send", { to: { $ref: "record" }, text: "Hi", from_number: number }),
    },
  }) satisfies Partial<Record<FindingCode, Row>>;

const subscribe = (sequence_id: string) => only("sequence.subscribe", { sequence_id, contact: { $ref: "record" } });
const mail = (more: object) => only("email.draft", { to: { $ref: "record" }, subject: "Hi", ...more });

const byNames = ({ pipeline, group, visit, template: letter, sequence, paused, byEvent, byHand }: Records) =>
  ({
    pipeline_not_found: {
      path: "filter.pipeline_id",
      wrong: where({ type: "pipeline", pipeline_id: "pipe_none" }),
      mended: where({ type: "pipeline", pipeline_id: pipeline }),
    },
    role_not_found: {
      path: "filter.role_ids.0",
      wrong: where({ type: "role", role_ids: ["role_none"] }),
      mended: where({ type: "role", role_ids: ["admin"] }),
    },
    group_not_found: {
      path: "filter.group_ids.0",
      wrong: where({ type: "group_member", group_ids: ["group_none"] }),
      mended: where({ type: "group_member", group_ids: [group] }),
    },
    custom_type_not_found: {
      path: "filter.custom_activity_type_id",
      wrong: where({ type: "custom_activity", custom_activity_type_id: "actitype_none" }),
      mended: where({ type: "custom_activity", custom_activity_type_id: visit }),
    },
    template_not_found: {
      path: `${at}.template_id`,
      wrong: mail({ template_id: "tmpl_none" }),
      mended: mail({ template_id: letter }),
    },
    sequence_not_found: { path: `${at}.sequence_id`, wrong: subscribe("seq_none"), mended: subscribe(sequence) },
    sequence_inactive: { by: "warning", path: `${at}.sequence_id`, wrong: subscribe(paused), mended: subscribe(sequence) },
    automation_not_found: {
      path: `${at}.automation_ids.0`,
      wrong: only("automation.exit", { automation_ids: ["autm_none"] }),
      mended: only("automation.exit", { automation_ids: [byEvent] }),
    },
    child_not_manual: {
      path: `${at}.automation_id`,
      wrong: only("automation.start", { automation_id: byEvent }),
      mended: only("automation.start", { automation_id: byHand }),
    },
  }) satisfies Partial<Record<FindingCode, Row>>;

const deep = (levels: number): object => (levels === 1 ? named : { not: deep(levels - 1) });
const onChange = (object_type: string, field: string) => by("field.changed", { object_type, field });
const before = (condition: object) => by("record.matches", { object_type: "lead", condition });
const exit = (event: string) => ({ graph: { ...says("x").graph, exits: [{ id: "e", event }] } });
const goal = (...steps: Parameters<typeof chain>) => ({
  graph: { ...chain(...steps), goals: [{ id: "g", event: "lead.updated" }] },
});
const touching = { ...by("record.updated", { object_type: "lead" }), ...update({ description: { $template: "{{ now }}" } }) };

const gone = by("record.deleted", { object_type: "lead" });
const campaign = (body: string) => ({
  ...by("manual", { object_type: "lead", allow_bulk: true }),
  ...only("email.send", { to: { $ref: "record" }, from: { $ref: "record.created_by" }, subject: "Hi", body }),
});

const semantics = {
  condition_too_deep: { by: "saving", path: `filter${".not".repeat(8)}`, wrong: where(deep(9)), mended: where(deep(8)) },
  condition_needs_present_record: {
    path: "trigger.config.condition.type",
    wrong: before({ type: "score", op: "gt", value: 5 }),
    mended: before(named),
  },
  operator_invalid_for_field: {
    path: "filter.op",
    wrong: where({ ...named, op: "gt", value: 1 }),
    mended: where({ ...named, op: "is", value: "x" }),
  },
  object_type_mismatch: {
    path: "filter.type",
    wrong: { ...by("record.created", { object_type: "contact" }), filter: { type: "status", status_type: "won" } },
    mended: { trigger: newLead, filter: { type: "status", status_type: "won" } },
  },
  goal_unreachable: {
    by: "warning",
    path: "graph.goals.0",
    wrong: goal(["note.create", { note: "x" }]),
    mended: goal(["note.create", { note: "x" }], ["wait.duration", { amount: 1, unit: "days" }]),
  },
  exit_equals_trigger: { path: "graph.exits.0.event", wrong: exit("lead.created"), mended: exit("task.completed") },
  self_trigger_risk: {
    path: `${at}.fields`,
    wrong: touching,
    mended: { ...touching, settings: { allow_self_trigger: true } },
  },
  mutual_trigger_risk: {
    by: "warning",
    path: `${at}.fields`,
    wrong: { ...onChange("contact", "title"), ...update({ name: "x" }) },
    mended: { ...onChange("contact", "lead_id"), ...update({ name: "x" }) },
  },
  record_deleted_trigger_reads_record: {
    path: `${at}.values.was.$template`,
    wrong: { ...gone, ...only("set.vars", { values: { was: { $template: "{{ record.name }}" } } }) },
    mended: { ...gone, ...only("set.vars", { values: { was: { $template: "{{ trigger.record.name }}" } } }) },
  },
  unsubscribe_missing: {
    by: "warning",
    path: `${at}.body`,
    wrong: campaign("<p>Hi</p>"),
    mended: campaign("<p>Hi</p>{% unsubscribe %}"),
  },
  step_deletes: {
    by: "warning",
    path: "graph.steps.s1.type",
    wrong: only("record.delete", { target: { $ref: "record" } }),
    mended: says("x"),
  },
  no_effect: { by: "warning", path: "graph.steps", wrong: only("set.vars", { values: { a: 1 } }), mended: says("x") },
} satisfies Partial<Record<FindingCode, Row>>;

/** The other of two automations that start each other is in force before. */
async function rights(acme: Workspace) {
  await published(acme, update({ title: "x" }).graph, onChange("contact", "name"));
  const bob = await acme.member("restricteduser");
  const remove = only("record.delete", { target: { $ref: "record" } });
  return {
    permission_step: {
      path: "graph.steps.s1.type",
      wrong: { ...remove, settings: { run_as_user_id: bob.userId } },
      mended: { ...remove, settings: { run_as_user_id: acme.userId } },
    },
    destructive_requires_admin: {
      path: "graph.steps.s1.type",
      wrong: remove,
      as: await acme.member("superuser"),
      mended: { ...remove, settings: { run_as_user_id: acme.userId } },
    },
    enroll_existing_unsupported: { path: "enroll_existing", wrong: {}, publish: { enroll_existing: true }, mended: {} },
    draft_revision_conflict: { path: "if_revision", wrong: {}, publish: { if_revision: 9 }, mended: {} },
  } satisfies Partial<Record<FindingCode, Row>>;
}
