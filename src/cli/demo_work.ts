// What the team of the demo did with its companies: quotes, lists, sequences, automations, an import, a dialer, projects. What needs a
// worker is done here by one that does only work inside of this machine.
import type { App } from "../app.ts";
import { openWorker } from "../jobs/worker.ts";
import { runWork } from "../resources/automations/run_work.ts";
import { bulkWork } from "../resources/bulk_actions/bulk_work.ts";
import { exportWork } from "../resources/exports/export_work.ts";
import { importWork } from "../resources/imports/import_work.ts";
import { signedQuoteWork } from "../resources/quotes/sign.ts";
import { dialerWork } from "../resources/telephony/dialer_work.ts";
import type { Place, Written } from "./demo_company.ts";
import { type Moment, operate } from "./demo_scribe.ts";
import { enrollSome } from "./demo_sequences.ts";

const dayMs = 86_400_000;

type Make = (name: string, body: object, params?: Record<string, string>, daysAgo?: number, by?: number) => Promise<any>;

export async function doTheirWork(app: App, place: Place, written: readonly Written[]): Promise<void> {
  const make: Make = (name, body, params = {}, daysAgo = 0, by = 0) => {
    const when: Moment = { by: place.team[by % place.team.length]!, at: new Date(place.now.getTime() - daysAgo * dayMs) };
    return operate(app, when, name, body, params);
  };
  await offer(make, written);
  await collect(make, written);
  await deliver(make, written);
  await enrollSome(app, place, written);
  await automate(make, written);
  await dial(make, written);
  await bringIn(make);
  await lookAfter(make, written);
  await visit(make, written);
  await arrange(make, place);
  await workInside(app, make);
  // What stays unread for ten minutes goes out as a mail.
  for (const [by] of place.team.entries()) await make("notification.mark_all_read", {}, {}, 0, by);
}

/** Quotes in every state that a person brings about. */
async function offer(make: Make, written: readonly Written[]): Promise<void> {
  const deals = written.filter(({ opportunity_id }) => opportunity_id !== null).slice(0, 12);
  const states = ["accepted", "open", "declined", "draft", "accepted", "canceled"];
  const products = (await make("product.list", {})).data as { id: string }[];
  for (const [i, { opportunity_id, contact_id, company }] of deals.entries()) {
    const ago = Math.min(25, company.age);
    const line_items = products.slice(i % 3, (i % 3) + 3).map(({ id }, n) => ({ product_id: id, quantity: 1 + ((i + n) % 6) }));
    const body = { opportunity_id, contact_id, line_items, discount: (i % 3) * 5, terms: "Payable within 30 days of delivery." };
    const { id } = await make("quote.create", body, {}, ago, company.owner);
    const state = states[i % states.length]!;
    if (state === "draft") continue;
    if (state === "canceled") await make("quote.update", { status: "canceled" }, { id }, ago - 1, company.owner);
    else {
      await make("quote.update", { status: "open" }, { id }, Math.max(1, ago - 1), company.owner);
      if (state !== "open") await make("quote.update", { status: state }, { id }, Math.max(0, ago - 4), company.owner);
    }
  }
}

async function collect(make: Make, written: readonly Written[]): Promise<void> {
  for (const [i, name] of ["Trade fair Hamburg", "Renewals", "To call this week"].entries()) {
    const list = await make("lead_list.create", { name }, {}, 40);
    const lead_ids = written.filter((_, n) => n % 3 === i).map(({ lead_id }) => lead_id);
    if (lead_ids.length > 0) await make("lead_list.add_members", { lead_ids }, { id: list.id }, 30, i);
  }
  const people = await make("contact_list.create", { name: "Newsletter" }, {}, 40);
  await make("contact_list.add_members", { contact_ids: written.map(({ contact_id }) => contact_id) }, { id: people.id }, 20);
  for (const [i, tag] of ["key account", "price sensitive", "referral"].entries())
    for (const { lead_id } of written.slice(i * 4, i * 4 + 4)) await make("lead.update", { tags: [tag] }, { id: lead_id }, 3, i);
  for (const { contact_id } of written.slice(0, 4)) await make("contact.update", { tags: ["decides"] }, { id: contact_id }, 3);
}

/** What follows a deal that was won. */
async function deliver(make: Make, written: readonly Written[]): Promise<void> {
  for (const [i, { lead_id, opportunity_id, company }] of written
    .filter((one) => one.company.fate === "won")
    .slice(0, 4)
    .entries()) {
    const project = await make("project.create", { name: `Furnish ${company.name}`, lead_id, opportunity_id }, {}, 10, i);
    for (const [n, name] of ["Measure the rooms", "Order", "Deliver"].entries())
      await make("project_task.create", { project_id: project.id, name, status: ["done", "in_progress", "todo"][n] }, {}, 8, i);
    const text = Buffer.from(`Floor plan of ${company.name}: three rooms, 42 desks.\n`).toString("base64");
    await make("file.create", { lead_id, name: "floor plan.txt", content_base64: text }, {}, 9, i);
  }
  for (const [i, { lead_id, contact_id, company }] of written.slice(0, 5).entries()) {
    const body = { lead_id, contact_id, subject: "Delivery date", channel: "email" };
    await make("conversation.create", body, {}, Math.min(4, company.age), i);
  }
}

async function automate(make: Make, written: readonly Written[]): Promise<void> {
  const steps = {
    s1: { type: "task.create", config: { text: "Say thank you", due_in: { amount: 2, unit: "days" } }, ports: { out: "s2" } },
    s2: { type: "note.create", config: { note: "Welcomed as a new customer." }, ports: { out: null } },
  };
  const trigger = { type: "manual", config: { object_type: "lead" } };
  const made = await make(
    "automations.create",
    { name: "Welcome new customers", trigger, graph: { start: "s1", steps } },
    {},
    30,
  );
  await make("automations.publish", {}, { id: made.id }, 30);
  for (const { lead_id } of written.slice(0, 6)) await make("automations.run", { record_id: lead_id }, { id: made.id });
  const actions = [{ type: "create_task", config: { text: "Check the address" } }];
  const newLead = { type: "record.created", config: { object_type: "lead" } };
  await make("automation.create", { name: "Check new leads", status: "paused", trigger: newLead, actions }, {}, 30);
}

async function dial(make: Make, written: readonly Written[]): Promise<void> {
  const lead_ids = written
    .filter(({ company }) => company.fate === "new" || company.fate === "talking")
    .map(({ lead_id }) => lead_id);
  if (lead_ids.length > 0) await make("dialer.create", { name: "Follow up by phone", lead_ids: lead_ids.slice(0, 20) });
}

/** A table from the last trade fair. */
async function bringIn(make: Make): Promise<void> {
  const rows = Array.from(
    { length: 12 },
    (_, i) => `Fair Visitor ${i + 1} Ltd,Visitor ${i + 1},visitor${i + 1}@fair-visitor-${i + 1}.example`,
  );
  const csv = ["Company,Name,E-Mail", ...rows].join("\n");
  const mapping = { Company: "name", Name: "contact.name", "E-Mail": "contact.email" };
  const { id } = await make("import.create", { name: "Visitors of the fair", object_type: "lead", csv });
  await make("import.update", { mapping }, { id });
}

async function lookAfter(make: Make, written: readonly Written[]): Promise<void> {
  await make("export.lead", { format: "csv", type: "leads" });
  await make("bulk_action.edit", {
    type: "add_tag",
    tag: "spring campaign",
    lead_ids: written.slice(0, 8).map(({ lead_id }) => lead_id),
  });
  for (const [i, { lead_id }] of written.slice(0, 6).entries())
    await make("lead.update", { owner_id: (await make("me.get", {}, {}, 0, i)).id }, { id: lead_id }, 1, i + 1);
}

/** Kinds of activities and records of the company's own, and a word by messenger. */
async function visit(make: Make, written: readonly Written[]): Promise<void> {
  const outcome = { name: "Outcome", type: "choices", choices: ["Interested", "Undecided", "Not now"] };
  const visits = await make("custom_activity_type.create", { name: "Showroom visit", fields: [outcome] }, {}, 60);
  const rooms = { name: "Room", fields: [{ name: "Desks", type: "number" }] };
  const room = await make("custom_object_type.create", rooms, {}, 60);
  for (const [i, { lead_id, contact_id, company }] of written.slice(0, 6).entries()) {
    const ago = Math.min(12, company.age);
    const came = { [`custom.${visits.fields[0].id}`]: outcome.choices[i % 3], custom_activity_type_id: visits.id };
    await make("activity_custom_activity.create", { lead_id, contact_id, ...came }, {}, ago, company.owner);
    const measured = { [`custom.${room.fields[0].id}`]: 4 + i, custom_object_type_id: room.id };
    await make("custom_object.create", { lead_id, name: `Floor ${i + 1}`, ...measured }, {}, ago, company.owner);
    const text = "Is the chair in the window still there?";
    const message = { lead_id, contact_id, channel: "whatsapp", status: "inbox", text };
    await make("activity_channel_message.create", message, {}, Math.min(3, company.age), company.owner);
  }
}

/** Who may stand in for whom, and what becomes of mail once there is a mailbox. */
async function arrange(make: Make, { team }: Place): Promise<void> {
  for (const { user_id } of team.slice(1, 3)) await make("send_as.create", { allowed_user_id: user_id }, {}, 50);
  const bills = { name: "Bills", conditions: { subject_contains: "invoice" }, actions: { add_tag: "billing" } };
  await make("inbox_rule.create", bills, {}, 50);
}

/** Whatever waits for a worker and does not leave this machine. */
async function workInside(app: App, make: Make): Promise<void> {
  const failures: Error[] = [];
  const works = [runWork, importWork, exportWork, bulkWork, dialerWork, signedQuoteWork];
  const worker = openWorker(app.core, { works, consumers: [], timers: [] }, (error) => failures.push(error));
  try {
    do await worker.drained();
    while (failures.length === 0 && (await isUnderWay(make)));
  } finally {
    await worker.stop();
  }
  if (failures.length > 0) throw failures[0];
}

/** A service beside may have taken some of it. */
async function isUnderWay(make: Make): Promise<boolean> {
  const lists = await Promise.all(["import.list", "export.list", "bulk_action.list"].map((name) => make(name, {})));
  return lists.some(({ data }) => data.some(({ status }: any) => !["done", "error", "draft"].includes(status)));
}
