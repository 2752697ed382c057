// Makes bodies and records of any resource from its definition. Values that the definition cannot express are in `required`
// below.
import type { Field } from "../../src/core/field.ts";
import type { Operation } from "../../src/core/operation.ts";
import type { Resource } from "../../src/core/resource.ts";
import type { Workspace } from "./given.ts";

let count = 0;
const unique = () => `${process.pid}-${++count}`;

const ownNumber = () => `+1212555${String(1000 + (++count % 9000))}`;

type Body = Record<string, unknown>;

/** Fields that a create needs beyond those marked required, because the resource's own function demands them. */
const required: Record<string, (ws: Workspace) => Promise<Body> | Body> = {
  task: async (ws) => ({ lead_id: (await ws.lead()).id }),
  activity_note: async (ws) => ({ lead_id: (await ws.lead()).id, note: "A note" }),
  activity_call: async (ws) => ({ lead_id: (await ws.lead()).id }),
  activity_email: async (ws) => ({ lead_id: (await ws.lead()).id }),
  activity_sms: async (ws) => ({ lead_id: (await ws.lead()).id }),
  activity_channel_message: async (ws) => ({ lead_id: (await ws.lead()).id, status: "draft", text: "Hello" }),
  activity_custom_activity: async (ws) => ({ lead_id: (await ws.lead()).id }),
  activity_meeting: async (ws) => ({ lead_id: (await ws.lead()).id, starts_at: "2026-01-02T10:00:00.000Z" }),
  quote: async (ws) => ({ lead_id: (await ws.lead()).id }),
  project: () => ({ name: `Project ${unique()}` }),
  project_task: () => ({ name: `Step ${unique()}` }),
  conversation: async (ws) => ({ lead_id: (await ws.lead()).id }),
  inbox_folder: () => ({ name: `Folder ${unique()}` }),
  inbox_rule: () => ({ conditions: { subject_contains: "invoice" }, actions: { add_tag: "billing" } }),
  line_item: () => ({ name: "Setup", unit_price: 1000 }),
  import: () => ({ csv: "Company,E-mail\nAcme,a@acme.io" }),
  phone_number: () => ({ number: ownNumber() }),
  webhook: () => ({ url: "https://93.184.216.34/hook", events: ["lead.created"] }),
  connected_account: () => ({ email: `mail-${unique()}@example.com`, smtp: { host: "93.184.216.34", password: "secret" } }),
  send_as: async (ws) => ({ allowed_user_id: (await ws.member()).userId }),
  file: () => ({ name: "proposal.txt", content_base64: Buffer.from("A proposal").toString("base64") }),
  file_subtype: () => ({ label: `Subtype ${unique()}` }),
  comment: async (ws) => ({ object_id: (await ws.lead()).id, body: "<body>Well said</body>" }),
  goal: () => ({ period: String(2000 + (++count % 7000)), target: 1000 }),
  sequence: async (ws) => {
    const template = await ws.post("/email_template/", { name: "Hello", is_shared: true });
    return { steps: [{ step_type: "email", email_template_id: template.id }] };
  },
  automation: () => ({ trigger: "lead.created", actions: [{ type: "create_task", config: { text: "Call" } }] }),
  automations: () => ({ trigger: { type: "record.created", config: { object_type: "lead" } } }),
  sequence_subscription: async (ws) => ({
    contact_id: (await ws.contact({ emails: [{ email: `contact-${unique()}@example.com` }] })).id,
  }),
  budget: async (ws) => ({ holder_id: (await ws.post("/api_key/", { name: `Agent ${unique()}` })).id }),
  membership: () => ({ email: `member-${unique()}@example.com` }),
};

/** Valid values for fields whose kind is not enough to know one, by field or by resource and field. */
const values: Record<string, unknown> = {
  emails: [{ email: "someone@example.com", type: "office" }],
  phones: [{ phone: "+18004445555", type: "office" }],
  urls: [{ url: "https://example.com", type: "url" }],
  addresses: [{ city: "Berlin", country: "DE" }],
  url: "https://93.184.216.34/",
  image_url: "https://example.com/a.png",
  timezone: "Europe/Berlin",
  currency: "USD",
  value_currency: "EUR",
  note_html: "<body>Text</body>",
  user_note_html: "<body>Text</body>",
  body_html: "<body>Text</body>",
  email: "someone@example.com",
  tags: ["one", "two"],
  events: ["lead.updated"],
  choices: ["a", "b"],
  redirect_uris: ["https://example.com/callback"],
  "comment.body": "<body>Text</body>",
  "activity_sms.local_phone": async (ws: Workspace) => (await ws.post("/phone_number/", { number: ownNumber() })).number,
};

/** Lists that belong to one record. Without it they are refused. */
export const listedByRecord: ReadonlySet<string> = new Set(["comment"]);

/** The operations of the five verbs of a resource. */
export function verbsOf(operations: readonly Operation[], of: Resource): Partial<Record<string, Operation>> {
  return Object.fromEntries(operations.filter((one) => one.resource === of && one.verb !== null).map((one) => [one.verb, one]));
}

/** Resources that can be created and read back through the API. */
export function createdResources(operations: readonly Operation[]): Resource[] {
  return operations.filter((one) => one.verb === "create").map((one) => one.resource!);
}

/** A body with only what a create needs. Parents are created as needed. */
export async function minimalBody(ws: Workspace, of: Resource): Promise<Body> {
  const body: Body = {};
  for (const [key, field] of of.columns) {
    if (field.required && field.mode !== "read" && key !== of.parent) body[key] = await sampleValue(ws, of, key, field);
  }
  return { ...body, ...(await required[of.name]?.(ws)) };
}

/** What a full record has beyond plain values: its lists, and records of one lead. */
const whole: Record<string, (ws: Workspace) => Promise<Body> | Body> = {
  lead: () => ({ contacts: [{ name: "Ada", emails: [{ email: "ada@example.com", type: "office" }] }] }),
  role: async (ws) => {
    const owner = await ws.customField("lead", { name: `Owner ${unique()}`, type: "user" });
    return { permissions: ["manage_customizations", "delete_leads"], visibility_user_lcf_ids: [owner.id] };
  },
  group: (ws) => ({ user_ids: [ws.userId] }),
  pipeline: () => ({ statuses: [{ label: `First ${unique()}` }, { label: `Won ${unique()}`, type: "won" }] }),
  custom_field: () => ({ type: "choices", choices: ["a", "b"], accepts_multiple_values: true }),
  email_template: () => ({ body: "<p>Hi {{ contact.first_name }}</p>", body_html: undefined }),
  inbox_folder: () => ({ name: `Folder ${unique()}` }),
  sequence: async (ws) => {
    const template = await ws.post("/email_template/", { name: "Hello", is_shared: true });
    return {
      steps: [
        { step_type: "email", email_template_id: template.id },
        { step_type: "call", delay: 3600, required: true, note: "Ask for Ada" },
        { step_type: "task", delay: 86_400, text: "Write a card" },
      ],
      schedule: { ranges: [{ weekday: 1, start: "09:00", end: "17:00" }] },
      throttle: { max_per_sender_per_day: 50 },
      trigger_query: { type: "object_type", object_type: "lead" },
    };
  },
  custom_activity_type: () => ({ fields: [{ name: "Reason", type: "choices", choices: ["a", "b"], required: true }] }),
  custom_object_type: () => ({ fields: [{ name: "Reason", type: "textarea" }] }),
  dialer: async (ws) => {
    const list = await ws.post("/lead_list/", { name: `List ${unique()}` });
    await ws.post(`/lead_list/${list.id}/members/`, { lead_ids: [(await ws.lead()).id] });
    return { lead_list_id: list.id, source_type: undefined, source_value: undefined, contact_list_id: undefined };
  },
  automations: () => ({
    filter: { all: [{ type: "field", ref: "record.name", op: "is", value: "Acme" }] },
    graph: { start: "task", steps: { task: { type: "task.create", config: { text: "Call" }, ports: { out: null } } } },
  }),
  opportunity: () => ({ confidence: null }),
  task: async (ws) => ({ object_type: "lead", object_id: (await ws.lead()).id }),
  phone_number: () => ({ forward_to_enabled: true, forward_to: "+12125550199" }),
};

/** A record with everything that can be set together. Values that exclude others are left out. */
export async function fullRecord(ws: Workspace, of: Resource, path: string): Promise<any> {
  const body: Body = await minimalBody(ws, of);
  for (const [key, field] of of.columns) {
    if (field.mode === "read" || field.hidden || key === of.parent || key in body) continue;
    body[key] = await sampleValue(ws, of, key, field);
  }
  Object.assign(body, await ofOneLead(ws, of), await customValue(ws, of, body), await whole[of.name]?.(ws));
  for (;;) {
    const answer = await ws.ask("POST", path, { body });
    if (answer.status < 300) return answer.body;
    const refused = Object.keys(answer.body["field-errors"]).map((place) => place.split(".")[0]!);
    if (!refused.some((key) => key in body)) throw new Error(`POST ${path} answered ${answer.text}`);
    for (const key of refused) delete body[key];
  }
}

async function ofOneLead(ws: Workspace, of: Resource): Promise<Body> {
  if (!("lead_id" in of.fields)) return {};
  const lead_id = (await ws.lead()).id;
  const body: Body = { lead_id };
  if ("contact_id" in of.fields)
    body.contact_id = (await ws.contact({ lead_id, emails: [{ email: `${unique()}@example.com` }] })).id;
  if ("opportunity_id" in of.fields) body.opportunity_id = (await ws.opportunity({ lead_id })).id;
  return body;
}

async function customValue(ws: Workspace, of: Resource, { custom_activity_type_id, custom_object_type_id }: Body): Promise<Body> {
  if (of.custom === undefined) return {};
  const kind = { custom_activity_type_id, custom_object_type_id };
  const { id } = await ws.customField(of.custom, { type: "number", ...kind });
  return { [`custom.${id}`]: 12.5 };
}

/** A valid value of a field. Undefined when its kind is not enough to know one. */
export async function sampleValue(ws: Workspace, of: Resource, key: string, field: Field): Promise<unknown> {
  const special = `${of.name}.${key}`;
  const value = values[special] ?? values[key];
  if (value !== undefined) return typeof value === "function" ? value(ws) : value;
  if (field.ref)
    return field.ref.to === "user"
      ? ws.userId
      : (await sampleRecord(ws, ws.service.app.core.registry.resource(field.ref.to)!))?.id;
  const options = (field.schema as { options?: unknown[] }).options;
  if (options) return options[0];
  switch (field.type) {
    case "text":
      return field.schema.safeParse(`Text ${unique()}`).success ? `Text ${of.name} ${unique()}` : undefined;
    case "integer":
      return 5;
    case "number":
      return 2.5;
    case "boolean":
      return true;
    case "timestamp":
      return "2026-03-04T05:06:07.008Z";
    case "date":
      return "2026-03-04";
    default:
      return undefined;
  }
}

/** The path of a resource's collection. Its parent is created if it has one. */
export async function collectionPath(ws: Workspace, of: Resource): Promise<string> {
  if (of.name === "custom_field") return "/custom_field/lead/";
  if (of.parent === undefined) return `${of.path}/`;
  const parent = ws.service.app.core.registry.resource((of.fields[of.parent] as Field).ref!.to)!;
  const made = await sampleRecord(ws, parent);
  return `${of.path.replace(/\{[^}]+\}/, made!.id)}/`;
}

/** A new record with only what a create needs. Undefined when the API does not create such records. */
export async function sampleRecord(ws: Workspace, of: Resource): Promise<any> {
  const { create } = verbsOf(ws.service.app.core.registry.operations, of);
  if (create === undefined) return undefined;
  const path = await collectionPath(ws, of);
  const record = await ws.post(path, await minimalBody(ws, of));
  return { ...record, path: `${path}${record.id}/` };
}
