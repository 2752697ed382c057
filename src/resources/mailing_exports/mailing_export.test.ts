import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "../../../test/support/client.ts";
import { atMoment } from "../../../test/support/clock.ts";
import { organization } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { store } from "../../records/store.ts";
import { countAudience } from "./audience.ts";
import { checkMailingExport } from "./check_mailing_export.ts";
import { mailingExport } from "./mailing_export.ts";

test("platforms say what they ask for, and whether their credential is stored", async () => {
  const acme = await organization();
  await acme.put("/credentials/brevo/", { api_key: "secret-key-1234" });

  const { data } = await acme.get("/mailing_export/platforms/");

  const by = new Map<string, any>(data.map((one: any) => [one.platform, one]));
  assert.deepEqual([by.get("brevo").connected, by.get("mailchimp").is_connected, by.get("csv").connected], [true, false, true]);
  assert.deepEqual(by.get("brevo").config_fields, [{ name: "list_id", label: "List", type: "string", required: true }]);
  assert.equal((await acme.get("/mailing_export/platforms/?_limit=2")).has_more, true);
});

test("an audience is who meets every condition", async () => {
  const acme = await organization();
  const [status] = (await acme.get("/status/lead/")).data;
  const lead = await acme.lead({ owner_id: acme.userId });
  const ann = await acme.contact({ lead_id: lead.id, name: "Ann", emails: [{ email: "ann@x.io" }], tags: ["vip"] });
  await acme.contact({ lead_id: lead.id, name: "Bob" });
  await acme.contact({ name: "Cid", emails: [{ email: "c@x.io" }] });
  const list = await acme.post("/contact_list/", { name: "News" });
  await acme.post(`/contact_list/${list.id}/members/`, { contact_ids: [ann.id] });
  const count = (filters: object) => acme.inside((ctx) => countAudience(ctx, filters));

  assert.equal(await count({}), 3);
  assert.equal(await count({ has_email: true }), 2);
  assert.equal(await count({ has_email: true, owner_id: acme.userId }), 1);
  assert.equal(await count({ tag: "vip" }), 1);
  assert.equal(await count({ lead_status_id: status.id }), 3);
  assert.equal(await count({ query: "name:cid" }), 1);
  assert.equal(await count({ date_created__gte: "2999-01-01T00:00:00Z" }), 0);
  assert.equal(await count({ contact_list_id: list.id }), 1);
  assert.equal(await count({ contact_list_id: "clist_none" }), 0);
  assert.equal(await count({ lead_list_id: "llist_none" }), 0);
});

test("an export needs a connected platform and its settings, and counts its contacts at once", async () => {
  const acme = await organization();
  await acme.contact({ emails: [{ email: "a@x.io" }] });
  const check = (given: Parameters<typeof checkMailingExport>[1]) =>
    acme.inside((ctx) => checkMailingExport(ctx, given)).catch((problem) => Object.keys(problem.fields).join());

  assert.deepEqual(await check({ platform: "csv", filters: { has_email: true } }), {
    platform: "csv",
    filters: { has_email: true },
    config: {},
    match_count: 1,
  });
  assert.equal(((await check({ platform: "csv", filters: { tag: "none" } })) as any).status, "completed");
  assert.equal(await check({ platform: "pigeon" }), "platform");
  assert.equal(await check({ platform: "mailchimp" }), "config.list_id");
  assert.equal(await check({ platform: "mailchimp", config: { list_id: "1" } }), "platform");
  assert.equal(await check({ platform: "webhook", config: { url: "nowhere" } }), "config.url");
  assert.equal(await check({ platform: "csv", config: { colour: "red" } }), "config.colour");
  assert.equal(await check({ platform: "csv", filters: { has_email: "yes" } }), "filters.has_email");
  assert.equal(await check({ platform: "csv", filters: { query: "name:(" } }), "filters.query");
  assert.equal(await check({ platform: "csv", filters: { date_created__gte: "soon" } }), "filters.date_created__gte");
});

test("exports are listed for who may export", async () => {
  const acme = await organization();
  const made = await acme.inside(async (ctx) => store.insert(ctx, mailingExport, { platform: "csv", match_count: 0 }));
  const member = await acme.member();

  assert.deepEqual(
    (await acme.get("/mailing_export/?platform=csv")).data.map((one: any) => one.id),
    [made.id],
  );
  assert.equal((await acme.get(`/mailing_export/${made.id}/`)).status, "queued");
  await member.refused(403, "GET", "/mailing_export/");
  await member.refused(403, "GET", "/mailing_export/platforms/");
});

test("an audience leaves only by a key of the widest scope", async () => {
  const acme = await organization();
  const { key } = await acme.post("/api_key/", { scopes: ["write_safe"] });
  const safe = new Client(acme.service, key);

  const refusal = await safe.refused(403, "POST", "/mailing_export/", { platform: "csv" });
  const made = await acme.post("/mailing_export/", { platform: "csv" });

  assert.match(refusal.error, /write_destructive/);
  assert.equal((await safe.get("/mailing_export/")).data[0].id, made.id);
});

test("what became of each contact is known for 37 days", async () => {
  const acme = await organization();
  const { clock, app } = acme.service;
  clock.now = new Date("2031-03-01T12:00:00.000Z");
  await acme.contact({ emails: [{ email: "a@x.io" }] });
  await acme.post("/mailing_export/", { platform: "csv" });
  await withWorker(acme.service, (worker) => worker.drained());
  const items = async () =>
    Number(
      (
        await app.db.query(acme.id, {
          text: "select count(*) from mailing_export_item where organization_id = $1",
          values: [acme.id],
        })
      )[0]![0],
    );

  await atMoment(acme.service, "2031-04-07T11:59:59.000Z", "mailing_items");
  const before = await items();
  await atMoment(acme.service, "2031-04-07T12:00:01.000Z", "mailing_items");

  assert.deepEqual([before, await items()], [1, 0]);
});
