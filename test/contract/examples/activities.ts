// What is said to customers and by them: notes, calls, messages, conversations, templates, files, the inbox.
import { asService } from "../../../src/records/acting.ts";
import { receiveFromStranger } from "../../../src/resources/inbox/receive.ts";
import type { Records } from "./records.ts";
import type { Story } from "./story.ts";

export async function activities(story: Story, { lead, contact }: Records): Promise<void> {
  const at = { lead_id: lead.id, contact_id: contact.id };
  await story.five(
    "activity_note",
    "/activity/note/",
    { ...at, note: "There is always money in the banana stand." },
    { change: { pinned: true }, spare: { note: "Wrong lead" } },
  );
  await story.five(
    "activity_call",
    "/activity/call/",
    {
      ...at,
      direction: "outbound",
      status: "completed",
      duration: 240,
      phone: "+12125559877",
      note: "Wants a second model home.",
    },
    { change: { note: "Wants a second model home in June." }, spare: { note: "Nobody there" } },
  );
  await story.five(
    "activity_email",
    "/activity/email/",
    {
      ...at,
      status: "draft",
      to: ["michael@bluth.example"],
      subject: "Your model home",
      body_text: "Hello Michael, the plans are ready.",
    },
    { change: { subject: "Your second model home" }, spare: { subject: "Empty" } },
  );
  const sms = { ...at, status: "draft", text: "The plans are ready.", remote_phone: "+12125559877", local_phone: "+12125551234" };
  await story.ws.post("/phone_number/", { number: "+12125551234", type: "external", label: "Front desk" });
  await story.five("activity_sms", "/activity/sms/", sms, {
    change: { text: "The plans are ready, call me." },
    spare: { text: "Hm" },
  });
  await story.five(
    "activity_channel_message",
    "/activity/channel_message/",
    { ...at, channel: "whatsapp", status: "draft", text: "See you at the site." },
    { change: { text: "See you at the site at ten." }, spare: { text: "Hm" } },
  );
  await story.five(
    "activity_meeting",
    "/activity/meeting/",
    {
      ...at,
      title: "Site visit",
      starts_at: "2026-05-11T17:00:00.000Z",
      ends_at: "2026-05-11T18:00:00.000Z",
      location: "Sudden Valley",
    },
    { change: { location: "Sudden Valley, lot 12" }, spare: { title: "Lunch" } },
  );
  const [type] = (await story.ws.get("/custom_activity/?name=Site visit")).data;
  await story.five(
    "activity_custom_activity",
    "/activity/custom/",
    { ...at, custom_activity_type_id: type.id },
    { change: { pinned: true }, spare: {} },
  );
  await recorded(story, lead);
  await conversations(story, { lead, contact });
  await templates(story, { lead, contact });
  await files(story, { lead, contact });
  await inbox(story);
}

/** What the service writes down by itself. */
async function recorded(story: Story, lead: any): Promise<void> {
  const { ws } = story;
  const query = { lead_id: lead.id, _limit: "2" };
  await story.show("activity.list", "/activity/", undefined, { query });
  await story.show("activity_created.list", "/activity/created/", undefined, { query });
  const [, next] = (await ws.get("/status/lead/")).data;
  await ws.put(`/lead/${lead.id}/`, { status_id: next.id });
  await story.show("activity_lead_status_change.list", "/activity/status_change/lead/", undefined, { query });
  const deal = await ws.opportunity({ lead_id: lead.id, value: 900000 });
  await ws.put(`/opportunity/${deal.id}/`, { status: "Won" });
  await story.show("activity_opportunity_status_change.list", "/activity/status_change/opportunity/", undefined, { query });
  await story.show("activity_task_completed.list", "/activity/task_completed/", undefined, { query });
}

async function conversations(story: Story, { lead, contact }: Pick<Records, "lead" | "contact">): Promise<void> {
  const { ws } = story;
  const thread = await story.five(
    "conversation",
    "/conversation/",
    { lead_id: lead.id, contact_id: contact.id, subject: "Second model home", channel: "email" },
    { change: { priority: "high" }, spare: { subject: "Old" } },
  );
  const said = { type: "note", body: "They asked for blue shutters." };
  await story.show("conversation.message", `/conversation/${thread.id}/message/`, said);
  const gone = await ws.post("/conversation/", { lead_id: lead.id, subject: "By mistake" });
  await ws.delete(`/conversation/${gone.id}/`);
  await story.show("conversation.restore", `/conversation/${gone.id}/restore/`, {});
  await ws.post("/activity/email/", {
    lead_id: lead.id,
    contact_id: contact.id,
    status: "inbox",
    sender: "michael@bluth.example",
    to: ["lucille@austero.example"],
    subject: "Blue shutters",
    body_text: "Can we have blue shutters? Please send me the price by Friday.",
  });
  await story.show("activity_email_thread.list", "/activity/emailthread/", undefined, {
    query: { lead_id: lead.id, _limit: "2" },
  });
  const [mail] = (await ws.get(`/activity/emailthread/?lead_id=${lead.id}`)).data;
  await story.show("activity_email_thread.get", `/activity/emailthread/${mail.id}/`);
  await ai(story, { lead, contact }, thread);
}

async function ai(story: Story, { lead, contact }: Pick<Records, "lead" | "contact">, thread: any): Promise<void> {
  await story.show("ai.draft_email", "/ai/draft_email/", {
    contact_id: contact.id,
    prompt: "Offer a second site visit next week",
    tone: "friendly",
  });
  await story.show("ai.extract_tasks", "/ai/extract_tasks/", { text: "Please send me the price by Friday." });
  await story.show("ai.generate_icp_rubric", "/ai/generate_icp_rubric/", {
    description: "Builders in California with more than 50 employees",
  });
  await story.show("ai.score_lead", "/ai/score_lead/", { lead_id: lead.id });
  await story.show("ai.search", "/ai/search/", { query: "my open deals over 10k" });
  await story.show("ai.suggest_opportunity", "/ai/suggest_opportunity/", {
    lead_id: (await story.ws.lead({ name: "Gobias Industries" })).id,
  });
  await story.show("ai.summarize_conversation", "/ai/summarize_conversation/", { conversation_id: thread.id });
  await story.show("ai.summarize_lead", "/ai/summarize_lead/", { lead_id: lead.id });
}

async function templates(story: Story, { lead, contact }: Pick<Records, "lead" | "contact">): Promise<void> {
  const template = await story.five(
    "email_template",
    "/email_template/",
    {
      name: "Invitation",
      is_shared: true,
      subject: "Come and see {{ lead.name }}",
      body: "<p>Hello {{ contact.first_name }}, come and see a model home.</p>",
    },
    { change: { subject: "A model home for {{ lead.name }}" }, spare: { name: "Old invitation" } },
  );
  const query = { lead_id: lead.id, contact_id: contact.id };
  await story.show("email_template.render", `/email_template/${template.id}/render/`, undefined, { query });
  const text = { name: "Reminder", is_shared: true, text: "Your site visit is tomorrow." };
  await story.five("sms_template", "/sms_template/", text, {
    change: { text: "Your site visit is tomorrow at ten." },
    spare: { name: "Old" },
  });
}

async function files(story: Story, { lead, contact }: Pick<Records, "lead" | "contact">): Promise<void> {
  const file = await story.five(
    "file",
    "/file/",
    { name: "plan.txt", lead_id: lead.id, content_base64: Buffer.from("Three bedrooms, one stair car.\n").toString("base64") },
    { change: { name: "floor plan.txt" }, spare: { name: "old plan.txt" } },
  );
  await story.show("file.download", `/file/${file.id}/download/`);
  const content_base64 = Buffer.from("A brochure.\n").toString("base64");
  await story.ws.post("/file/", {
    name: "brochure.txt",
    lead_id: contact.lead_id,
    contact_id: contact.id,
    outreach_channel: "email",
    content_base64,
  });
  await story.show("file.resolve", "/file/resolve/", undefined, { query: { outreach_channel: "email", contact_id: contact.id } });
}

async function inbox(story: Story): Promise<void> {
  const { ws } = story;
  const folder = await story.five(
    "inbox_folder",
    "/inbox_folder/",
    { name: "Invoices" },
    { change: { name: "Bills" }, spare: { name: "Old" } },
  );
  const rule = {
    name: "Bills",
    conditions: { subject_contains: "invoice" },
    actions: { move_to_folder: folder.id, add_tag: "billing" },
  };
  await story.five("inbox_rule", "/inbox_rule/", rule, { change: { is_enabled: true }, spare: { name: "Old" } });
  const from = (name: string, email: string, subject: string) =>
    asService(ws.service.app.core, ws.id, ws.userId, { id: "req_example", method: "POST", path: "/" }, (ctx) =>
      receiveFromStranger(ctx, {
        channel: "email",
        name,
        email,
        phone: null,
        subject,
        body_text: "Is the model home still for sale?",
        received_at: "2026-05-04T08:15:00.000Z",
        message: { to: ["sales@austero.example"] },
      }),
    );
  const ann: any = await from("Ann Veal", "ann@veal.example", "Your model home");
  const spam: any = await from("Carl Weathers", "carl@stew.example", "Cheap stew");
  await story.show("inbox_prospect.list", "/inbox_prospect/", undefined, { query: { _limit: "2" } });
  await story.show("inbox_rule.try", "/inbox_rule/try/", { message_id: ann.id });
  await story.show("inbox_prospect.convert", `/inbox_prospect/${ann.id}/convert/`, { lead_name: "Veal Family" });
  await story.show("inbox_prospect.dismiss", `/inbox_prospect/${spam.id}/dismiss/`, {});
}
