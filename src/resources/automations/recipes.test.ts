// The recipes of docs/automations.md, each published as it is there, and seen at work.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, test } from "node:test";
import { z } from "zod";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { type MailServer, startMailServer } from "../../../test/support/smtp.ts";
import { withWorker } from "../../../test/support/worker.ts";

let service: Service;
let server: MailServer;
before(async () => {
  service = await outboundService();
  server = await startMailServer();
});
after(() => server?.close());
afterEach(() => {
  service.clock.now = null;
});

const guide = readFileSync(new URL("../../../docs/automations.md", import.meta.url), "utf8");
const recipes = new Map(
  guide
    .slice(guide.indexOf("# Recipes"))
    .split("\n## ")
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf("\n")), /```json\n([^]*?)```/.exec(part)![1]!]),
);
const tried = new Set<string>();

/** The request that a recipe has beside it. */
function requestOf(name: string): { method: string; path: string; body: object } {
  const part = guide.slice(guide.indexOf(`\n## ${name}\n`));
  const [, method, path, body] = /```http\n(\w+) (\S+)\n([^]*?)```/.exec(part)!;
  return { method: method!, path: path!, body: JSON.parse(body!) };
}

/** Publishes a recipe, with ids in place of those that stand for a reader's own. */
async function publishes(acme: Workspace, name: string, ids: Record<string, string> = {}): Promise<any> {
  tried.add(name);
  const text = Object.entries(ids).reduce((whole, [word, id]) => whole.replaceAll(word, id), recipes.get(name)!);
  const made = await acme.post("/automations/", JSON.parse(text));
  return acme.post(`/automations/${made.id}/publish/`, {});
}

/** What the workers do after this time. */
async function work(ms = 0): Promise<void> {
  service.clock.now = new Date((service.clock.now ?? new Date()).getTime() + ms);
  await withWorker(service, async (worker) => {
    for (let i = 0; i < 3; i++) await worker.drained();
  });
}

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const tasksOf = async (acme: Workspace, lead_id: string): Promise<string[]> =>
  (await acme.get(`/task/?lead_id=${lead_id}`)).data.map(({ text }: any) => text);
const toldTo = async (member: Workspace): Promise<string[]> =>
  (await member.get("/notification/?type=automation")).data.map(({ title }: any) => title);

test("Round robin", async () => {
  const acme = await organization(service);
  const [ann, bob] = [await acme.member(), await acme.member()];
  await publishes(acme, "Round robin", { user_ann: ann.userId, user_bob: bob.userId });

  const leads: any[] = [];
  for (let i = 0; i < 3; i++) {
    leads.push(await acme.lead({ name: `Acme ${i}` }));
    await work();
  }
  const owned = await acme.lead({ owner_id: acme.userId });
  await work();

  const owners = await Promise.all(leads.map(async ({ id }) => (await acme.get(`/lead/${id}/`)).owner_id));
  assert.deepEqual(owners, [ann.userId, bob.userId, ann.userId]);
  assert.equal((await acme.get(`/lead/${owned.id}/`)).owner_id, acme.userId);
  assert.deepEqual(await toldTo(bob), ["Acme 1 is yours"]);
});

test("Speed to lead", async () => {
  const acme = await organization(service);
  const ann = await acme.member();
  await publishes(acme, "Speed to lead", { user_ann: ann.userId });
  const [called, left] = [await acme.lead({ name: "Called" }), await acme.lead({ name: "Left" })];
  await work();
  await acme.post("/activity/call/", { lead_id: called.id, direction: "outbound", status: "completed", phone: "+18004445555" });

  await work(6 * minute);

  assert.deepEqual(await tasksOf(acme, left.id), ["Call Left now"]);
  assert.deepEqual(await toldTo(ann), ["Nobody called Left"]);
});

test("Stale deal", async () => {
  const acme = await organization(service);
  await publishes(acme, "Stale deal");
  const [stale, fresh, won] = [await acme.opportunity(), await acme.opportunity(), await acme.opportunity({ status: "Won" })];
  await work(13 * day);
  await acme.note({ lead_id: fresh.lead_id });
  await work(day + hour);

  assert.equal((await tasksOf(acme, stale.lead_id)).length, 1);
  assert.deepEqual([await tasksOf(acme, fresh.lead_id), await tasksOf(acme, won.lead_id)], [[], []]);
});

test("Hand-over after a win", async () => {
  const acme = await organization(service);
  const bob = await acme.member();
  await publishes(acme, "Hand-over after a win", { user_bob: bob.userId });
  const deal = await acme.opportunity({ value: 120_000 });

  await acme.put(`/opportunity/${deal.id}/`, { status: "Won" });
  await work();

  const lead = await acme.get(`/lead/${deal.lead_id}/`);
  const [project] = (await acme.get(`/project/?lead_id=${lead.id}`)).data;
  const [note] = (await acme.get(`/activity/note/?lead_id=${lead.id}`)).data;
  assert.deepEqual([lead.owner_id, project.name], [bob.userId, `Onboarding of ${lead.display_name}`]);
  assert.match(note.note, /^Won .*1,200/);
});

test("Birthday", async () => {
  const acme = await organization(service);
  await acme.post("/connected_account/", { email: `ada-${acme.id}@acme.example`.toLowerCase(), smtp: server.smtp });
  const asked = requestOf("Birthday");
  const field = await acme.post(asked.path, asked.body);
  service.clock.now = new Date("2031-03-01T12:00:00Z");
  await publishes(acme, "Birthday", { cf_birthday: field.id });
  const email = "ann@client.example";
  const person = await acme.contact({ name: "Ann", emails: [{ email }], [`custom.${field.id}`]: "1990-03-03" });
  const drafts = async () =>
    (await acme.get(`/activity/email/?lead_id=${person.lead_id}`)).data.map(({ subject }: any) => subject);

  await work(day);
  const before = await drafts();
  await work(day);
  const then = await drafts();
  await work(366 * day);

  assert.deepEqual([before, then], [[], ["Happy birthday, Ann"]]);
  assert.equal((await drafts()).length, 2);
});

test("No-show", async () => {
  const acme = await organization(service);
  await acme.post("/connected_account/", { email: `ada-${acme.id}@acme.example`.toLowerCase(), smtp: server.smtp });
  const asked = requestOf("No-show");
  await acme.put(asked.path.replace("$organization", acme.id), asked.body);
  await publishes(acme, "No-show");
  const email = `ann-${acme.id}@client.example`.toLowerCase();
  const person = await acme.contact({ emails: [{ email }] });
  const at = { starts_at: "2031-03-01T12:00:00Z", ends_at: "2031-03-01T13:00:00Z" };
  const { id } = await acme.post("/activity/meeting/", { contact_id: person.id, title: "Demo", ...at });

  await acme.put(`/activity/meeting/${id}/`, { outcome_id: "outcome_no_show" });
  await work();
  assert.deepEqual(server.to(email), []);
  await work(hour);
  await work();

  assert.deepEqual(
    server.to(email).map(({ subject }) => subject),
    ["Sorry that we missed you"],
  );
  assert.deepEqual(await tasksOf(acme, person.lead_id), ["Find another time for Demo"]);
});

test("Lead routing by country", async () => {
  const acme = await organization(service);
  const [ann, bob] = [await acme.member(), await acme.member()];
  await publishes(acme, "Lead routing by country", { user_ann: ann.userId, user_bob: bob.userId });
  const at = (country: string) => acme.lead({ addresses: [{ country }] });
  const leads = [await at("AT"), await at("FR"), await acme.lead({ name: "Nowhere" })];

  await work();

  const owners = await Promise.all(leads.map(async ({ id }) => (await acme.get(`/lead/${id}/`)).owner_id));
  assert.deepEqual(owners, [ann.userId, bob.userId, null]);
  assert.deepEqual(await tasksOf(acme, leads[2]!.id), ["Where is Nowhere?"]);
});

test("Slack on a big deal", async () => {
  const { receiver } = await import("../../../test/support/receiver.ts");
  const slack = await receiver();
  const acme = await organization(service);
  await publishes(acme, "Slack on a big deal", { "https://hooks.slack.com/": slack.url });
  const [big, small] = [await acme.opportunity({ value: 2_000_000 }), await acme.opportunity({ value: 100 })];

  for (const { id } of [small, big]) await acme.put(`/opportunity/${id}/`, { status: "Won" });
  await work();

  assert.equal(slack.received.length, 1);
  assert.match(slack.received[0]!.body.text, /: .*20,000.* won$/);
  slack.close();
});

test("Renewal", async () => {
  const acme = await organization(service);
  const asked = requestOf("Renewal");
  const field = await acme.post(asked.path, asked.body);
  service.clock.now = new Date("2031-01-01T12:00:00Z");
  await publishes(acme, "Renewal", { cf_contract_end: field.id });
  const lead = await acme.lead({ [`custom.${field.id}`]: "2031-03-05" });
  await work(2 * day);
  assert.deepEqual(await tasksOf(acme, lead.id), []);

  await work(2 * day);
  await work(day);

  const deals = (await acme.get(`/opportunity/?lead_id=${lead.id}`)).data;
  assert.deepEqual(
    deals.map((one: any) => [one.note, one.expected_close_date]),
    [["Renewal", "2031-03-05"]],
  );
  assert.deepEqual(await tasksOf(acme, lead.id), ["Offer the renewal"]);
});

test("Answer within four hours", async () => {
  const acme = await organization(service);
  const ann = await acme.member();
  await publishes(acme, "Answer within four hours", { user_ann: ann.userId });
  const { id: lead_id } = await acme.lead();
  const say = (conversation_id: string, status: string) =>
    acme.post("/activity/sms/", { lead_id, conversation_id, status, text: "Hi", remote_phone: "+12125559876" });
  const [answered, waiting] = [
    await acme.post("/conversation/", { lead_id, channel: "sms" }),
    await acme.post("/conversation/", { lead_id, channel: "sms" }),
  ];
  for (const { id } of [answered, waiting]) await say(id, "inbox");
  await work();
  await say(answered.id, "sent");

  await work(5 * hour);

  assert.deepEqual(await toldTo(ann), ["A customer has waited for four hours"]);
});

test("Duplicates", async () => {
  const acme = await organization(service);
  const ann = await acme.member("admin");
  await publishes(acme, "Duplicates", { user_ann: ann.userId });
  const first = await acme.lead({ name: "Acme" });
  await work();
  const second = await acme.lead({ name: "Acme" });
  await work();

  const [ask] = (await ann.get(`/task/?assigned_to=${ann.userId}`)).data;
  assert.match(ask.text, /Delete the new Acme\?/);
  const told = (await ann.get("/notification/?type=approval_request")).data;
  const answer = requestOf("Duplicates");
  assert.deepEqual([told.length, answer.method], [1, "PUT"]);
  await ann.put(answer.path.replace("$task", ask.id), answer.body);
  await work();

  await acme.refused(404, "GET", `/lead/${second.id}/`);
  await acme.get(`/lead/${first.id}/`);
});

test("Duplicates that come together leave one", async () => {
  const acme = await organization(service);
  const ann = await acme.member("admin");
  service.clock.now = new Date();
  await publishes(acme, "Duplicates", { user_ann: ann.userId });
  const triplets = await Promise.all([1, 2, 3].map(() => acme.lead({ name: "Twin" })));
  await work();

  const tasks = (await ann.get(`/task/?assigned_to=${ann.userId}`)).data;
  await Promise.all(tasks.map(({ id }: any) => ann.put(`/task/${id}/`, { is_complete: true, resolution: "approved" })));
  await work();

  const left = await Promise.all(triplets.map(({ id }) => acme.ask("GET", `/lead/${id}/`)));
  assert.deepEqual(left.map(({ status }) => status).sort(), [200, 404, 404]);
});

test("Web form", async () => {
  const acme = await organization(service);
  const { webhook } = await publishes(acme, "Web form");
  const body = JSON.stringify({ company: "Acme", name: "Ann", email: "ann@client.example" });
  const post = (token: string, sent: string) =>
    fetch(webhook.url.replace(/^.*(?=\/hooks\/)/, service.url), {
      method: "POST",
      headers: { "content-type": "application/json", "x-form-token": token },
      body: sent,
    });

  const secret = webhook.signing_secret;
  assert.deepEqual([(await post("wrong", body)).status, (await post(secret, "{}")).status], [401, 202]);
  await work();
  // What a call lacks nobody mends: its run is over, and nothing waits for the author.
  const [empty] = (await acme.get("/automation_runs/")).data;
  assert.deepEqual([empty.status, empty.error.class], ["failed", "rejected"]);
  assert.equal((await post(secret, body)).status, 202);
  await work();

  const [lead] = (await acme.get("/lead/?_expand=contacts")).data;
  assert.deepEqual([lead.name, lead.source, lead.contacts[0].emails[0].email], ["Acme", "web form", "ann@client.example"]);
  assert.deepEqual(await tasksOf(acme, lead.id), ["Answer Ann"]);

  const people = Array.from({ length: 8 }, (_, i) => ({ company: "Formco", name: `P${i}`, email: `p${i}@formco.example` }));
  await Promise.all(people.map((one) => post(secret, JSON.stringify(one))));
  await work();
  const [formco, ...others] = (await acme.get("/lead/?query=name:Formco")).data;
  assert.deepEqual(others, []);
  assert.equal((await tasksOf(acme, formco.id)).length, people.length);
});

test("the published schema takes every recipe, and no step that does not exist", async () => {
  const acme = await organization(service);
  const schema = z.fromJSONSchema(await acme.get("/automation_schema/"));

  for (const [name, text] of recipes) assert.equal(schema.safeParse(JSON.parse(text)).error, undefined, name);
  const wrong = JSON.parse(recipes.get("Round robin")!.replace("owner.assign", "owner.asign"));
  assert.equal(schema.safeParse(wrong).success, false);
});

test("the rule of the guide", async () => {
  const acme = await organization(service);
  const asked = requestOf("Rules: the first generation");

  const made = await acme.post(asked.path, asked.body);
  const [steel, coal] = [await acme.lead({ name: "Forge", industry: "Steel" }), await acme.lead({ industry: "Coal" })];
  await work();
  await work(day + hour);

  assert.deepEqual([made.status, made.warnings], ["active", []]);
  assert.deepEqual([await tasksOf(acme, steel.id), await tasksOf(acme, coal.id)], [["Call Forge"], []]);
  assert.deepEqual((await acme.get(`/lead/${steel.id}/`)).tags, ["steel"]);
  const braces = [{ type: "create_task", config: { text: "Call {{ record.name }}" } }];
  const literal = await acme.put(`/automation/${made.id}/`, { actions: braces });
  assert.deepEqual(
    literal.warnings.map(({ code, path }: any) => [code, path]),
    [["template_not_filled", "actions.0.config.text"]],
  );
});

test("every recipe of the guide is tried here", () => assert.deepEqual([...recipes.keys()].sort(), [...tried].sort()));
