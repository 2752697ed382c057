// A call of each tool that succeeds, and the request of REST that does the same.
import type { Workspace } from "./given.ts";

/** The ids of the records that the calls are about. */
export interface Subjects {
  lead: string;
  otherLead: string;
  contact: string;
  task: string;
  note: string;
  opportunity: string;
  conversation: string;
  sequence: string;
  request: string;
}

export interface Use {
  args: Record<string, unknown>;
  /** Null for what only agents have. */
  rest: [method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: object] | null;
}

/** Records that every call can be about. */
export async function subjects(acme: Workspace): Promise<Subjects> {
  const [lead, otherLead, gone] = await Promise.all([acme.lead({ name: "Globex" }), acme.lead(), acme.lead()]);
  const contact = await acme.contact({
    lead_id: lead.id,
    name: "Ann Lee",
    emails: [{ email: "ann@client.example" }],
    phones: [{ phone: "+12125559876", type: "mobile" }],
  });
  const template = await acme.post("/email_template/", {
    name: "Hello",
    is_shared: true,
    subject: "Hello",
    body: "<p>Hello</p>",
  });
  const steps = [{ step_type: "email", email_template_id: template.id }];
  const deletion = await acme.ask("DELETE", `/lead/${gone.id}/`);
  const made = await Promise.all([
    acme.task({ lead_id: lead.id }),
    acme.note({ lead_id: lead.id }),
    acme.opportunity({ lead_id: otherLead.id }),
    acme.post("/conversation/", { lead_id: lead.id, contact_id: contact.id }),
    acme.post("/sequence/", { name: "Outreach", steps }),
  ]);
  const [task, note, opportunity, conversation, sequence] = made.map(({ id }) => id);
  const request = deletion.headers.get("x-request-id")!;
  return {
    lead: lead.id,
    otherLead: otherLead.id,
    contact: contact.id,
    task,
    note,
    opportunity,
    conversation,
    sequence,
    request,
  };
}

const noBody = {};

/** By the names of the tools. In this order each can really be done, one after the other. */
export const uses: Record<string, (of: Subjects) => Use> = {
  list_object_types: () => ({ args: {}, rest: null }),
  describe_fields: () => ({ args: { object_type: "lead" }, rest: null }),
  list_workspaces: () => ({ args: {}, rest: null }),
  list_records: () => ({ args: { object_type: "task" }, rest: ["GET", "/task/"] }),
  get_record: ({ lead }) => ({ args: { object_type: "lead", id: lead }, rest: ["GET", `/lead/${lead}/`] }),
  get_lead_overview: ({ lead }) => ({ args: { lead_id: lead }, rest: ["GET", `/lead/${lead}/`] }),
  search: () => ({ args: { query: "Globex" }, rest: ["GET", "/lead/?query=Globex"] }),
  run_report: () => ({
    args: { report: "activity", arguments: { relative_range: "this-month" } },
    rest: ["POST", "/report/activity/", { relative_range: "this-month" }],
  }),
  aggregate: () => ({
    args: { object_type: "lead", group_by: ["status_id"] },
    rest: ["POST", "/report/aggregate/", { object_type: "lead", group_by: ["status_id"] }],
  }),
  summarize_lead: ({ lead }) => ({ args: { lead_id: lead }, rest: ["POST", "/ai/summarize_lead/", { lead_id: lead }] }),
  draft_email: ({ contact }) => ({
    args: { contact_id: contact, prompt: "Thank her." },
    rest: ["POST", "/ai/draft_email/", { contact_id: contact, prompt: "Thank her." }],
  }),
  suggest_opportunity: ({ lead }) => ({
    args: { lead_id: lead },
    rest: ["POST", "/ai/suggest_opportunity/", { lead_id: lead }],
  }),
  create_record: ({ lead }) => ({
    args: { object_type: "task", data: { lead_id: lead, text: "Call" } },
    rest: ["POST", "/task/", { lead_id: lead, text: "Call" }],
  }),
  update_record: ({ lead }) => ({
    args: { object_type: "lead", id: lead, data: { description: "Large" } },
    rest: ["PUT", `/lead/${lead}/`, { description: "Large" }],
  }),
  log_activity: ({ lead }) => ({
    args: { type: "call", lead_id: lead, note: "Spoke", data: { duration: 60 } },
    rest: ["POST", "/activity/call/", { lead_id: lead, note: "Spoke", duration: 60 }],
  }),
  complete_tasks: ({ task }) => ({ args: { ids: [task] }, rest: ["PUT", `/task/${task}/`, { is_complete: true }] }),
  move_opportunity_stage: ({ opportunity }) => ({
    args: { id: opportunity, status: "Won" },
    rest: ["PUT", `/opportunity/${opportunity}/`, { status: "Won" }],
  }),
  add_tags: ({ lead }) => ({
    args: { object_type: "lead", id: lead, tags: ["Hot"] },
    rest: ["PUT", `/lead/${lead}/`, { tags: ["Hot"] }],
  }),
  extract_tasks: ({ lead }) => ({
    args: { text: "Please call me tomorrow.", lead_id: lead },
    rest: ["POST", "/ai/extract_tasks/", { text: "Please call me tomorrow.", lead_id: lead }],
  }),
  score_lead: ({ lead }) => ({ args: { lead_ids: [lead] }, rest: ["POST", "/ai/score_lead/", { lead_ids: [lead] }] }),
  summarize_conversation: ({ conversation }) => ({
    args: { conversation_id: conversation },
    rest: ["POST", "/ai/summarize_conversation/", { conversation_id: conversation }],
  }),
  enrich: ({ lead }) => ({ args: { object_type: "lead", id: lead }, rest: ["POST", `/lead/${lead}/enrich/`, noBody] }),
  send_email: ({ contact }) => ({
    args: { contact_id: contact, subject: "Offer", body_text: "Hello" },
    rest: ["POST", "/activity/email/", { contact_id: contact, subject: "Offer", body_text: "Hello", status: "outbox" }],
  }),
  send_sms: ({ contact }) => ({
    args: { contact_id: contact, text: "Hello" },
    rest: ["POST", "/activity/sms/", { contact_id: contact, text: "Hello", status: "outbox" }],
  }),
  enroll_in_sequence: ({ sequence, contact }) => ({
    args: { sequence_id: sequence, contact_id: contact },
    rest: ["POST", "/sequence_subscription/", { sequence_id: sequence, contact_id: contact }],
  }),
  undo_changes: ({ request }) => ({ args: { id: request }, rest: ["POST", `/change_set/${request}/undo/`, noBody] }),
  start_bulk_action: ({ lead }) => ({
    args: { action: "edit", data: { lead_ids: [lead], type: "add_tag", tag: "Large" } },
    rest: ["POST", "/bulk_action/edit/", { lead_ids: [lead], type: "add_tag", tag: "Large" }],
  }),
  merge_records: ({ otherLead, lead }) => ({
    args: { object_type: "lead", source: otherLead, destination: lead },
    rest: ["POST", "/lead/merge/", { source: otherLead, destination: lead }],
  }),
  delete_record: ({ note }) => ({
    args: { object_type: "activity/note", id: note },
    rest: ["DELETE", `/activity/note/${note}/`],
  }),
  switch_workspace: () => ({ args: { to: "nowhere" }, rest: null }),
};

/** The same subjects where there are none: ids of their kinds that were never given. */
export const nobody = (of: Subjects): Subjects =>
  Object.fromEntries(
    Object.entries(of).map(([key, id]) => [key, id.replace(/_.*/, `_${"0".repeat(26)}`)]),
  ) as unknown as Subjects;
