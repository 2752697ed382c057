// After a release without workers, rows wait in every state, some for weeks. The first workers bring each to its end, once, and
// notify nobody of old news.
import assert from "node:assert/strict";
import { test } from "node:test";
import { published } from "../support/automations.ts";
import { settled, withConnection } from "../support/feed.ts";
import { organization, type Workspace } from "../support/given.ts";
import { receiver } from "../support/receiver.ts";
import { multiply } from "../support/rows.ts";
import { startService } from "../support/service.ts";
import { startMailServer } from "../support/smtp.ts";
import { webhooksAsUpgraded } from "../support/webhooks.ts";
import { withTwoWorkers } from "../support/worker.ts";

const written = "2031-01-10T09:00:00.000Z";
const weeksLater = "2031-03-01T09:00:00.000Z";
/** How many there are of some kinds of record. */
const all = 201;
/** How many events are in the log before the first webhook is created. */
const logged = 20_000;

const ask = ({ service }: Workspace, text: string, ...values: unknown[]) => service.app.db.unscoped({ text, values });

/**
 * The database as the previous release leaves it: nobody follows the log and there are no jobs, until the migrations of this
 * release create them.
 */
async function upgraded(ws: Workspace): Promise<void> {
  await withConnection(ws, async (client) => {
    await client.query("/* a test */ delete from job where organization_id = $1", [ws.id]);
    await client.query("/* a test */ delete from timer");
  });
  await webhooksAsUpgraded(ws);
}

/** What has been waiting since then: a record of each kind, and hundreds of some. */
async function leftBehind(acme: Workspace, eve: Workspace) {
  const person = await acme.contact({ emails: [{ email: "ann@example.com" }], phones: [{ phone: "+18004445555" }] });
  const at = { contact_id: person.id, lead_id: person.lead_id };
  const number = await acme.post("/phone_number/", { number: "+12125550100" });
  const soon = "2031-01-11T10:00:00Z";
  const line_items = [{ name: "Setup", unit_price: 1000 }];
  const made = {
    conversation: await acme.post("/conversation/", { ...at, status: "snoozed", snoozed_until: soon }),
    meeting: await acme.post("/activity/meeting/", { ...at, title: "Demo", starts_at: soon }),
    call: await acme.post("/activity/call/", { ...at, direction: "outbound", status: "created", phone: "+18004445555" }),
    email: await acme.post("/activity/email/", { ...at, status: "outbox", subject: "Hello", body_text: "Hello" }),
    planned: await acme.post("/activity/email/", {
      ...at,
      status: "scheduled",
      date_scheduled: soon,
      subject: "Later",
      body_text: "Hello",
    }),
    text: await acme.post("/activity/sms/", {
      ...at,
      local_phone: number.number,
      status: "scheduled",
      date_scheduled: soon,
      text: "Hi",
    }),
    message: await acme.post("/activity/channel_message/", { ...at, channel: "whatsapp", status: "outbox", text: "Hello" }),
    task: await acme.task({ lead_id: person.lead_id, assigned_to: eve.userId, date: "2031-01-12" }),
    port: await acme.post("/port/close/", { phone_numbers: ["+12125550001"], authorized_name: "Ada", account_number: "42" }),
    quote: await acme.post("/quote/", { lead_id: person.lead_id, expires_at: "2031-01-20", line_items }),
  };
  await acme.put(`/quote/${made.quote.id}/`, { status: "open" });
  await multiply(acme, "conversation", made.conversation.id, all - 1);
  await multiply(acme, "activity", made.email.id, all - 1);
  await multiply(acme, "activity", made.meeting.id, all - 1);
  await multiply(acme, "task", made.task.id, all - 1);
  return { ...made, number };
}

/** What has been "active" since then, without any worker. */
async function automated(acme: Workspace) {
  const steps = [{ step_type: "task", text: "Call" }];
  const sequence = await acme.post("/sequence/", { name: "Welcome", status: "active", steps });
  const subscriptions = [];
  for (const email of ["bob@example.com", "kim@example.com"]) {
    const contact = await acme.contact({ emails: [{ email }] });
    subscriptions.push(await acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: contact.id }));
  }
  const actions = [{ type: "create_task", config: { text: "Call" } }];
  const rule = await acme.post("/automation/", { name: "Greet", status: "active", trigger: "contact.created", actions });
  const created = { type: "record.created", config: { object_type: "contact" } };
  const call = { type: "task.create", config: { text: "Call" }, ports: { out: null } };
  const graph = { start: "call", steps: { call } };
  const workflow = await published(acme, graph, { name: "Follow up", trigger: created });
  return {
    subscriptions,
    automations: [`/automation/${rule.id}/`, `/automations/${workflow.id}/`],
  };
}

const paths = {
  conversation: "conversation",
  meeting: "activity/meeting",
  call: "activity/call",
  email: "activity/email",
  planned: "activity/email",
  text: "activity/sms",
  message: "activity/channel_message",
  port: "port",
  quote: "quote",
};

async function statusesOf(acme: Workspace, made: Record<string, { id: string }>): Promise<Record<string, string>> {
  const statuses: Record<string, string> = {};
  for (const [what, path] of Object.entries(paths)) statuses[what] = (await acme.get(`/${path}/${made[what]!.id}/`)).status;
  const numbers = (await acme.get("/phone_number/")).data;
  return { ...statuses, number: numbers.find(({ id }: any) => id === made.number!.id).status };
}

/** The number of events since a moment, by name. */
async function eventsSince(ws: Workspace, moment: string): Promise<Record<string, number>> {
  const rows = await ask(
    ws,
    "select event, count(*) from event where organization_id = $1 and date_created >= $2 group by event order by event",
    ws.id,
    moment,
  );
  return Object.fromEntries(rows.map(([event, count]) => [event!, Number(count)]));
}

const toldTo = async (ws: Workspace): Promise<number> => (await ws.all("/notification/?_limit=200")).length;

test("two workers that start after weeks of silence end what waits, once each, and tell nobody of it", async (t) => {
  const mail = await startMailServer();
  const on = await startService({ env: { ...mail.env, OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8" } });
  t.after(async () => {
    await on.close();
    await mail.close();
  });
  const mailbox = await receiver();
  on.clock.now = new Date(written);
  const acme = await organization(on);
  const eve = await acme.member();
  await acme.lead({ owner_id: eve.userId });
  await multiply(acme, "event", (await acme.get("/event/?event=lead.created")).data[0].id, logged);
  const made = await leftBehind(acme, eve);
  const { subscriptions, automations } = await automated(acme);
  // A webhook starts at the oldest transaction running when it is created, which may be another test's.
  await settled(acme);
  await acme.post("/webhook/", { url: mailbox.url, events: ["lead.created"] });
  const news = [await acme.lead(), await acme.lead({ owner_id: eve.userId }), await acme.lead()];
  const told = [await toldTo(acme), await toldTo(eve)];
  await upgraded(acme);

  const failures: (Error & { status?: number })[] = [];
  const work = (moment: string) => {
    on.clock.now = new Date(moment);
    return withTwoWorkers(on, (both) => both.drained(), { failures });
  };
  await work(weeksLater);
  // On a busy machine a timer may not get a connection in time. The next run does what it left.
  await work("2031-03-01T10:30:00.000Z");
  await work("2031-03-01T11:45:00.000Z");
  assert.deepEqual(
    failures.filter(({ status }) => status !== 503),
    [],
  );
  const after = await statusesOf(acme, made);
  const events = await eventsSince(acme, weeksLater);
  await work("2031-03-01T13:00:00.000Z");

  assert.deepEqual(after, {
    conversation: "open",
    meeting: "completed",
    call: "failed",
    email: "error",
    planned: "error",
    text: "error",
    message: "error",
    port: "exception",
    quote: "expired",
    number: "pending",
  });
  // A task whose day was over weeks ago is no news.
  assert.deepEqual(events, {
    "activity.call.updated": 1,
    "activity.channel_message.failed": 1,
    "activity.channel_message.updated": 1,
    "activity.email.failed": all + 1,
    "activity.email.updated": all + 1,
    "activity.meeting.completed": all,
    "activity.meeting.started": all,
    "activity.sms.failed": 1,
    "activity.sms.updated": 1,
    "conversation.reopened": all,
    "conversation.updated": all,
    "port.updated": 1,
    "quote.expired": 1,
    "quote.updated": 1,
    "sequence_subscription.finished": 2,
    "sequence_subscription.step_done": 2,
    "sequence_subscription.updated": 4,
    "task.todo.created": 2,
  });
  assert.deepEqual(await eventsSince(acme, weeksLater), events, "the second time nothing was left to do");
  // No event from before it was created, and each once.
  assert.deepEqual(mailbox.objects().sort(), news.map(({ id }) => id).sort());
  assert.ok(told[1]! > 0);
  assert.deepEqual([await toldTo(acme), await toldTo(eve)], told);
  assert.deepEqual(mail.received, [], "what they have not read since then is no news either");
  for (const { id } of subscriptions) assert.equal((await acme.get(`/sequence_subscription/${id}/`)).status, "finished");
  for (const path of automations) assert.equal((await acme.get(path)).status, "active");
  assert.deepEqual((await acme.get("/automation_runs/")).data, []);
});
