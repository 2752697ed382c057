// Leads, contacts and deals, with what belongs to them.
import { type Ctx, write } from "../../../src/core/context.ts";
import type { People } from "./people.ts";
import type { Story } from "./story.ts";

export interface Records {
  lead: any;
  contact: any;
  deal: any;
}

const email = (address: string) => [{ email: address, type: "office" }];

export async function records(story: Story, { bob, partner }: People): Promise<Records> {
  const lead = await story.five(
    "lead",
    "/lead/",
    {
      name: "Bluth Company",
      url: "https://bluth.example",
      contacts: [
        { name: "Gob Bluth", title: "President", emails: email("gob@bluth.example"), phones: [{ phone: "+12125559876" }] },
      ],
      tags: ["real estate"],
    },
    {
      change: { description: "Builds model homes." },
      spare: { name: "Cornballer Inc.", contacts: [] },
      query: { _limit: "2", q: "bluth" },
    },
  );
  const contact = await story.five(
    "contact",
    "/contact/",
    {
      lead_id: lead.id,
      name: "Michael Bluth",
      title: "Manager",
      emails: email("michael@bluth.example"),
      phones: [{ phone: "+12125559877" }],
    },
    { change: { title: "Chief operating officer" }, spare: { name: "Tobias Funke", emails: [], phones: [] } },
  );
  await merging(story);
  await sharing(story, { bob, partner }, contact);
  await moving(story, { partner });
  const deal = await deals(story, lead, contact);
  await tasks(story, bob, { lead, contact, deal });
  await lists(story, { lead, contact, deal });
  await properties(story, lead);
  await searches(story);
  return { lead, contact, deal };
}

async function merging(story: Story): Promise<void> {
  const { ws } = story;
  const [kept, gone] = [await ws.lead({ name: "Sitwell Enterprises" }), await ws.lead({ name: "Sitwell Enterprise" })];
  await story.show("lead.merge", "/lead/merge/", { source: gone.id, destination: kept.id });
  const person = { lead_id: kept.id, name: "Sally Sitwell" };
  const [sally, sal] = [await ws.contact(person), await ws.contact({ ...person, emails: email("sally@sitwell.example") })];
  await story.show("contact.merge", "/contact/merge/", { source: sal.id, destination: sally.id });
}

async function sharing(story: Story, { partner }: People, contact: any): Promise<void> {
  const organization_id = partner.id;
  await story.show("contact.share", `/contact/${contact.id}/share/`, { organization_id });
  await story.show("contact.shares", `/contact/${contact.id}/shares/`);
  await story.show("contact.unshare", `/contact/${contact.id}/unshare/`, { organization_id });
  const bulk = await story.show("share_bulk.create", "/contact/share_bulk/", { organization_id, contact_ids: [contact.id] });
  await story.show("share_bulk.list", "/contact/share_bulk/");
  await story.show("share_bulk.get", `/contact/share_bulk/${bulk.id}/`);
  await story.ws.inside((ctx) => fail(ctx, "share_bulk", bulk.id));
  await story.show("share_bulk.resume", `/contact/share_bulk/${bulk.id}/resume/`, {});
}

/** What failed for a reason that is gone. */
export async function fail(ctx: Ctx, table: string, id: string, status = "failed"): Promise<void> {
  const text = `/* a test */ update ${table} set status = $3 where organization_id = $1 and id = $2`;
  write(ctx, { text, values: [ctx.organization_id, id, status] });
}

async function moving(story: Story, { partner }: Pick<People, "partner">): Promise<void> {
  const lead = await story.ws.lead({ name: "Standpoor Tenants" });
  await story.show("lead.move", `/lead/${lead.id}/move/`, { target_organization_id: partner.id });
}

async function deals(story: Story, lead: any, contact: any): Promise<any> {
  const deal = await story.five(
    "opportunity",
    "/opportunity/",
    {
      lead_id: lead.id,
      contact_id: contact.id,
      value: 2490000,
      value_currency: "USD",
      confidence: 60,
      date_expected: "2026-06-30",
    },
    { change: { confidence: 80 }, spare: { note: "A shed" } },
  );
  const items = `/opportunity/${deal.id}/line_item/`;
  await story.five(
    "line_item",
    items,
    { name: "Model home", unit_price: 2490000, quantity: 1 },
    { spare: { name: "Furniture" } },
  );
  await story.five(
    "quote",
    "/quote/",
    {
      title: "Model home, phase 1",
      opportunity_id: deal.id,
      lead_id: lead.id,
      line_items: [{ name: "Model home", unit_price: 2490000, quantity: 1 }],
    },
    { change: { terms: "Payable within 30 days." }, spare: { title: "Draft" } },
  );
  const project = await story.five(
    "project",
    "/project/",
    { name: "Sudden Valley", lead_id: lead.id, opportunity_id: deal.id, start_date: "2026-06-01" },
    { change: { phase: "Permits" }, spare: { name: "Phase 2" } },
  );
  const step = { project_id: project.id, name: "Order the windows", due_date: "2026-06-15" };
  await story.five("project_task", "/project_task/", step, {
    change: { status: "in_progress" },
    spare: { name: "Order the doors" },
  });
  return deal;
}

async function tasks(story: Story, bob: any, { lead, contact }: Records): Promise<void> {
  const { ws } = story;
  const task = await story.five(
    "task",
    "/task/",
    { lead_id: lead.id, contact_id: contact.id, text: "Ask about the model home", date: "2026-05-06", assigned_to: bob.userId },
    { change: { priority: "high" }, spare: { text: "Send the brochure" } },
  );
  await story.show("task.bulk_update", "/task/", { is_complete: true }, { query: { id__in: task.id } });
  const comment = await story.show("comment.create", "/comment/", { object_id: lead.id, body: "They decide in June." });
  await story.show("comment.list", "/comment/", undefined, { query: { object_id: lead.id } });
  await story.show("comment.update", `/comment/${comment.id}/`, { body: "They decide in July." });
  await story.show("comment_thread.list", "/comment_thread/", undefined, { query: { object_ids: lead.id } });
  await story.show("comment_thread.get", `/comment_thread/${comment.thread_id}/`);
  const other = await ws.post("/comment/", { object_id: lead.id, body: "Never mind." });
  await story.show("comment.delete", `/comment/${other.id}/`);
  const [notice] = (await bob.get("/notification/")).data;
  await story.show("notification.list", "/notification/", undefined, { as: bob });
  await story.show("notification.update", `/notification/${notice.id}/`, { is_read: true }, { as: bob });
  await story.show("notification.mark_all_read", "/notification/mark_all_read/", {}, { as: bob });
}

async function lists(story: Story, { lead, contact }: Records): Promise<void> {
  const leads = await story.five(
    "lead_list",
    "/lead_list/",
    { name: "Spring fair" },
    { change: { name: "Spring fair 2026" }, spare: { name: "Old" } },
  );
  await story.show("lead_list.add_members", `/lead_list/${leads.id}/members/`, { lead_ids: [lead.id] });
  await story.show("lead_list.remove_member", `/lead_list/${leads.id}/members/${lead.id}/`);
  const people = await story.five(
    "contact_list",
    "/contact_list/",
    { name: "Newsletter" },
    { change: { name: "Newsletter, monthly" }, spare: { name: "Old" } },
  );
  await story.show("contact_list.add_members", `/contact_list/${people.id}/members/`, { contact_ids: [contact.id] });
  await story.show("contact_list.remove_member", `/contact_list/${people.id}/members/${contact.id}/`);
  await story.five("lead_tag", "/lead_tag/", { name: "builder" }, { change: { color: "#0f766e" }, spare: { name: "other" } });
  await story.five(
    "contact_tag",
    "/contact_tag/",
    { name: "decides" },
    { change: { color: "#0f766e" }, spare: { name: "other" } },
  );
}

async function properties(story: Story, lead: any): Promise<void> {
  const [type] = (await story.ws.get("/custom_object_type/?name=Property")).data;
  const property = { custom_object_type_id: type.id, lead_id: lead.id, name: "Lot 12" };
  await story.five("custom_object", "/custom_object/", property, {
    change: { name: "Lot 12, Sudden Valley" },
    spare: { name: "Lot 13" },
  });
}

async function searches(story: Story): Promise<void> {
  const query = {
    type: "and",
    queries: [
      { type: "object_type", object_type: "lead" },
      {
        type: "field_condition",
        field: { type: "regular_field", object_type: "lead", field_name: "name" },
        condition: { type: "text", mode: "phrase", value: "bluth" },
      },
    ],
  };
  await story.show("data.search", "/data/search/", { query, _fields: { lead: ["id", "name", "status_label"] }, _limit: 2 });
}
