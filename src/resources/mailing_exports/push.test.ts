// Exports to mailing platforms: who is pushed, who is left out, and what becomes of an export whose platform is in a bad mood.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { brevo, customerio, klaviyo, mailchimp, type PlatformServer, sendgrid } from "../../../test/support/mailing_platforms.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import { receiver } from "../../../test/support/receiver.ts";
import type { Service } from "../../../test/support/service.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { suppress } from "../contacts/suppress.ts";

let service: Service;
before(async () => {
  service = await outboundService();
});

/** Works until it is over, or for so many rounds of a minute. */
async function worked(acme: Workspace, { id }: { id: string }, rounds = 30): Promise<any> {
  await withWorker(service, async (worker) => {
    for (let i = 0; i < rounds; i++) {
      await worker.drained();
      if (["completed", "failed", "canceled"].includes((await acme.get(`/mailing_export/${id}/`)).status)) break;
      service.clock.now = new Date((service.clock.now ?? new Date()).getTime() + 60_000);
    }
  });
  return acme.get(`/mailing_export/${id}/`);
}

const key = "5ecre7d1g175f0rtheke-us21";
/** What is secret of it. */
const digits = "5ecre7d1g175f0rtheke";

/** Every platform with its server, its credentials and its settings, and what it knows of somebody in its own words. */
const platforms: Record<
  string,
  { server: () => PlatformServer; credentials: object; config: object; ann: object; refusal?: string }
> = {
  mailchimp: {
    server: () => mailchimp(key),
    credentials: { api_key: key },
    config: { list_id: "a1b2", tags: "vip, new" },
    ann: { status: "subscribed", merge_fields: { FNAME: "Ann", LNAME: "Lee" }, tags: ["vip", "new"] },
  },
  brevo: {
    server: () => brevo(key),
    credentials: { api_key: key },
    config: { list_id: "5" },
    ann: { FIRSTNAME: "Ann", LASTNAME: "Lee", lists: [5] },
    refusal: "Brevo refused the address",
  },
  klaviyo: {
    server: () => klaviyo(key),
    credentials: { api_key: key },
    config: { list_id: "Y6nRLr" },
    ann: { email: "ann@x.io", first_name: "Ann", last_name: "Lee", title: "CEO", organization: "Acme", lists: ["Y6nRLr"] },
  },
  customerio: {
    server: () => customerio("site", key),
    credentials: { site_id: "site", api_key: key },
    config: { segment: "42" },
    ann: { first_name: "Ann", last_name: "Lee", title: "CEO", company: "Acme", segment: 42 },
  },
  sendgrid: {
    server: () => sendgrid(key),
    credentials: { api_key: key },
    config: { list_ids: "l1, l2" },
    ann: { first_name: "Ann", last_name: "Lee", list_ids: ["l1", "l2"] },
    refusal: "SendGrid refused the contact",
  },
};

async function connected(platform: string): Promise<{ acme: Workspace; server: PlatformServer; body: any }> {
  const { server: make, credentials, config } = platforms[platform]!;
  const server = await make().start();
  const acme = await organization(service);
  await acme.put(`/credentials/${platform}/`, { ...credentials, base_url: server.url });
  return { acme, server, body: { platform, config } };
}

const add = (acme: Workspace, name: string, more: object = {}) =>
  acme.contact({ name, emails: [{ email: `${name.split(" ")[0]!.toLowerCase()}@x.io` }], ...more });

for (const [platform, { ann, refusal = "looks fake" }] of Object.entries(platforms))
  describe(`an export to ${platform}`, () => {
    test("pushes each address once, leaves out who may not be written to, and says whom the platform refused and why", async () => {
      const { acme, server, body } = await connected(platform);
      const lead = await acme.lead({ name: "Acme" });
      await add(acme, "Ann Lee", { lead_id: lead.id, title: "CEO" });
      await add(acme, "Ann Other");
      await add(acme, "Uma");
      await acme.contact({ name: "Nobody" });
      const eve = await add(acme, "Eve");
      server.refused.set("eve@x.io", "looks fake");

      const made = await acme.post("/mailing_export/", body);
      // Suppression is applied when pushing.
      await acme.inside((ctx) => suppress(ctx, { address: "uma@x.io", reason: "unsubscribed", source: "link", source_id: null }));
      const done = await worked(acme, made);

      assert.deepEqual([made.status, made.match_count], ["queued", 5]);
      assert.deepEqual([done.status, done.error, done.n_pushed, done.n_skipped, done.n_failed], ["completed", null, 1, 3, 1]);
      assert.deepEqual(done.n_excluded, { duplicate: 1, unsubscribed: 1, no_email: 1 });
      assert.equal(done.errors[0].contact_id, eve.id);
      assert.match(done.errors[0].error, new RegExp(refusal));
      assert.deepEqual([...server.people], [["ann@x.io", ann]]);
      assert.equal((await acme.events(made.id)).at(-1).event, "mailing_export.completed");
    });

    test("waits while the platform asks to, repeats a batch whose response broke off, and has everybody there once", async () => {
      const { acme, server, body } = await connected(platform);
      for (const name of ["Ann", "Bob", "Cid"]) await add(acme, name);
      const moods = [{ status: 429, headers: { "retry-after": "30" } }, { status: 500 }, "deaf"] as const;
      let asked = 0;
      // Its own lists are read at the same time.
      server.mood = ({ method, path }) => (method === "GET" && path.endsWith("/lists") ? null : (moods[asked++] ?? null));

      const made = await acme.post("/mailing_export/", body);
      await withWorker(service, (worker) => worker.drained());
      const waiting = await acme.get(`/mailing_export/${made.id}/`);
      const done = await worked(acme, made);

      assert.deepEqual([waiting.status, asked > 0], ["running", true]);
      assert.match(waiting.error, /answered 429/);
      assert.deepEqual([done.status, done.n_pushed, done.error], ["completed", 3, null]);
      assert.deepEqual([...server.people.keys()].sort(), ["ann@x.io", "bob@x.io", "cid@x.io"]);
    });

    test("ends with the platform's words when the credentials are wrong, which admins see", async () => {
      const { acme, server, body } = await connected(platform);
      await add(acme, "Ann");
      await acme.put(`/credentials/${platform}/`, { api_key: "another-key-us21", base_url: server.url });

      const done = await worked(acme, await acme.post("/mailing_export/", body));

      assert.equal(done.status, "failed");
      assert.match(done.error, /answered 401: \w/);
      const { data } = await acme.get("/credentials/");
      assert.match(data.find((one: any) => one.service === platform).last_error, /answered 401/);
      assert.equal((await acme.get("/notification/?type=export_done")).data[0].object_id, done.id);
    });

    test("keeps no key that the platform repeats in its words", async () => {
      const { acme, server, body } = await connected(platform);
      await add(acme, "Ann");
      const words = `The key ${key} is not valid (${digits})`;
      const said = {
        message: words,
        title: words,
        detail: words,
        errors: [{ detail: words, message: words }],
        meta: { error: words },
      };
      server.mood = { status: 401, body: said } as any;

      const done = await worked(acme, await acme.post("/mailing_export/", body));

      assert.match(done.error, /The key •••• is not valid \(••••\)/);
      const shown = [done, await acme.events(done.id), await acme.get("/credentials/"), await acme.get("/notification/")];
      assert.ok(!JSON.stringify(shown).includes(digits));
    });

    test("goes on with whom is left once the platform is in order again", async () => {
      const { acme, server, body } = await connected(platform);
      for (const name of ["Ann", "Bob"]) await add(acme, name);
      server.mood = { status: 401 };
      const failed = await worked(acme, await acme.post("/mailing_export/", body));
      const colleague = await acme.memberWith(["export", "view_all_leads"]);
      await colleague.refused(403, "POST", `/mailing_export/${failed.id}/resume/`, {});

      server.mood = null;
      await acme.post(`/mailing_export/${failed.id}/resume/`, {});
      const done = await worked(acme, failed);

      assert.equal(failed.status, "failed");
      assert.deepEqual([done.status, done.error, done.n_pushed, done.n_failed], ["completed", null, 2, 0]);
      assert.deepEqual([...server.people.keys()].sort(), ["ann@x.io", "bob@x.io"]);
      await acme.refused(400, "POST", `/mailing_export/${failed.id}/resume/`, {}, "status");
    });
  });

test("who is in a Mailchimp audience already keeps their status, and gets the tags", async () => {
  const { acme, server, body } = await connected("mailchimp");
  await add(acme, "Ann");
  server.people.set("ann@x.io", { status: "unsubscribed", tags: [] });

  const done = await worked(
    acme,
    await acme.post("/mailing_export/", { ...body, config: { list_id: "a1", tags: "vip", double_opt_in: true } }),
  );

  assert.deepEqual([done.n_pushed, done.n_failed], [1, 0]);
  assert.deepEqual(server.people.get("ann@x.io"), { status: "unsubscribed", tags: ["vip"] });
});

test("a platform that refuses a whole batch for one contact gets the others", async () => {
  const { acme, server, body } = await connected("sendgrid");
  for (const name of ["Ann", "Bob", "Cid", "Dan", "Eve"]) await add(acme, name);
  server.refused.set("cid@x.io", "email is invalid");

  const done = await worked(acme, await acme.post("/mailing_export/", body));

  assert.deepEqual([done.status, done.n_pushed, done.n_failed], ["completed", 4, 1]);
  assert.match(done.errors[0].error, /email is invalid/);
  const items = (query: string) => acme.get(`/mailing_export/${done.id}/items/${query}`);
  const { data, has_more } = await items("?_limit=3");
  assert.deepEqual(
    [data.map((one: any) => [one.ord, one.status]), has_more],
    [
      [
        [1, "pushed"],
        [2, "pushed"],
        [3, "failed"],
      ],
      true,
    ],
  );
  assert.equal((await acme.all(`/mailing_export/${done.id}/items/?_limit=2`)).length, 5);
  const failed = (await items("?status=failed")).data;
  assert.deepEqual([failed.length, failed[0].contact_id, failed[0].address], [1, done.errors[0].contact_id, "cid@x.io"]);
  await acme.refused(400, "GET", `/mailing_export/${done.id}/items/?status=bogus`, undefined, "status");
  const seller = await acme.memberWith(["export"]);
  await seller.refused(404, "GET", `/mailing_export/${done.id}/items/`);
});

test("a list that does not exist ends the export, and so does a platform that is away for a day", async () => {
  const { acme, server, body } = await connected("mailchimp");
  await add(acme, "Ann");

  const missing = await worked(acme, await acme.post("/mailing_export/", { ...body, config: { list_id: "gone" } }));
  server.mood = { status: 503 };
  const away = await acme.post("/mailing_export/", body);
  await worked(acme, away, 1);
  service.clock.now = new Date(Date.now() + 26 * 3_600_000);
  const ended = await worked(acme, away, 1);

  assert.match(missing.error, /answered 404: The requested resource/);
  assert.deepEqual([ended.status, /For a day.*503/.test(ended.error)], ["failed", true]);
});

test("a receiver gets each batch as JSON, and knows one that comes again by its id", async () => {
  const acme = await organization(service);
  const ann = await add(acme, "Ann Lee");
  const answers = [500, 200];
  const hook = await receiver((_, response) => void response.writeHead(answers.shift()!).end("fine"));

  const done = await worked(acme, await acme.post("/mailing_export/", { platform: "webhook", config: { url: hook.url } }));

  assert.deepEqual([done.status, done.n_pushed, hook.received.length], ["completed", 1, 2]);
  const [first, second] = hook.received;
  assert.equal(first!.headers["webhook-id"], second!.headers["webhook-id"]);
  const person = {
    contact_id: ann.id,
    lead_id: ann.lead_id,
    email: "ann@x.io",
    first_name: "Ann",
    last_name: "Lee",
    title: null,
  };
  const { company: _, ...got } = second!.body.contacts[0];
  assert.deepEqual([second!.body.mailing_export_id, got], [done.id, person]);
});

test("an export to a file has what its author may see when it is written, and the file is the author's", async () => {
  const acme = await organization(service);
  const seller = await acme.memberWith(["export"]);
  const other = await acme.memberWith(["export"]);
  const own = await acme.lead({ name: "=Own", owner_id: seller.userId });
  const lost = await acme.lead({ name: "Lost", owner_id: seller.userId });
  await add(acme, "Ann Lee", { lead_id: own.id });
  await add(acme, "Bob", { lead_id: lost.id });
  await add(acme, "Cid");

  const queued = await seller.post("/mailing_export/", { platform: "csv" });
  await acme.put(`/lead/${lost.id}/`, { owner_id: acme.userId });
  const done = await worked(seller, queued);

  assert.deepEqual([queued.match_count, done.status, done.n_pushed], [2, "completed", 1]);
  const { share_url } = await seller.get(`/file/${done.file_id}/`);
  assert.equal(share_url, null);
  const headers = { authorization: `Bearer ${seller.key}` };
  const file = await fetch(`${service.url}/api/v1/file/${done.file_id}/download/`, { headers });
  const lines = (await file.text()).trim().split("\r\n");
  assert.equal(lines[0], '"email","first_name","last_name","title","company","contact_id","lead_id"');
  assert.match(lines[1]!, /^"ann@x.io","Ann","Lee","","'=Own","cont_/);
  assert.equal(lines.length, 2);
  await other.refused(404, "GET", `/file/${done.file_id}/`);
  await other.refused(404, "GET", `/mailing_export/${done.id}/`);
  await acme.get(`/file/${done.file_id}/`);
  // Who sees all leads sees such a file only with the permission to export.
  const user = await acme.memberWith(["view_all_leads"]);
  await user.refused(404, "GET", `/file/${done.file_id}/`);
  await user.refused(404, "GET", `/file/${done.file_id}/download/`);
  assert.deepEqual((await user.get("/file/")).data, []);
});

test("while an export waits, who is deleted or not visible to its author any more is left out", async () => {
  const { acme, server, body } = await connected("brevo");
  const seller = await acme.memberWith(["export"]);
  const leads = [];
  for (const name of ["Ann", "Bob", "Cid"]) {
    const lead = await acme.lead({ owner_id: seller.userId });
    leads.push({ lead, person: await add(acme, name, { lead_id: lead.id }) });
  }
  server.mood = { status: 429 };
  const made = await seller.post("/mailing_export/", body);
  await worked(seller, made, 1);

  await acme.delete(`/contact/${leads[0]!.person.id}/`);
  await acme.put(`/lead/${leads[1]!.lead.id}/`, { owner_id: acme.userId });
  server.mood = null;
  const done = await worked(seller, made);

  assert.deepEqual([made.match_count, done.n_pushed, done.n_excluded], [3, 1, { gone: 2 }]);
  assert.deepEqual([...server.people.keys()], ["cid@x.io"]);
});

test("an export stops when its author may not export any more, or is gone", async () => {
  const acme = await organization(service);
  await add(acme, "Ann");
  const bob = await acme.member("superuser");
  const queued = await bob.post("/mailing_export/", { platform: "csv" });
  const { data } = await acme.get("/membership/");
  await acme.delete(`/membership/${data.find((one: any) => one.user_id === bob.userId).id}/`);

  const done = await worked(acme, queued);

  assert.deepEqual([done.status, done.error], ["failed", "Whoever asked for it is no longer an active member"]);
});

test("whom a platform took is counted, although the right to export was lost, or the export canceled, while it did", async () => {
  const acme = await organization(service);
  const seller = await acme.memberWith(["export", "view_all_leads"]);
  const { role_id } = (await acme.get("/membership/")).data.find((one: any) => one.user_id === seller.userId);
  await add(acme, "Ann");
  let meanwhile = async (): Promise<unknown> => null;
  const hook = await receiver((_, response) => void meanwhile().then(() => response.writeHead(200).end()));
  const pushed = async (whom: Workspace, act: (id: string) => Promise<unknown>) => {
    const made = await whom.post("/mailing_export/", { platform: "webhook", config: { url: hook.url } });
    meanwhile = () => act(made.id);
    return worked(acme, made);
  };

  const canceled = await pushed(acme, (id) => acme.post(`/mailing_export/${id}/cancel/`));
  const failed = await pushed(seller, () => acme.put(`/role/${role_id}/`, { permissions: ["view_all_leads"] }));

  assert.deepEqual([canceled.status, canceled.n_pushed], ["canceled", 1]);
  assert.deepEqual([failed.status, failed.n_pushed], ["failed", 1]);
  assert.equal((await acme.get(`/mailing_export/${failed.id}/items/?status=pushed`)).data.length, 1);
});

test("an export is asked for with the permission, for contacts that are counted at once, or only counted", async () => {
  const acme = await organization(service);
  const ann = await add(acme, "Ann");
  await add(acme, "Bob");
  const post = (body: object, field?: string) => acme.refused(400, "POST", "/mailing_export/", body, field);
  await (await acme.memberWith([])).refused(403, "POST", "/mailing_export/", { platform: "csv" });

  const counted = await acme.ask("POST", "/mailing_export/", { body: { platform: "csv", dry_run: true } });
  const some = await acme.post("/mailing_export/", { platform: "csv", filters: { contact_ids: [ann.id] } });
  const none = await acme.post("/mailing_export/", { platform: "csv", filters: { tag: "none" } });

  assert.deepEqual([counted.status, counted.body], [200, { dry_run: true, match_count: 2 }]);
  assert.deepEqual([some.match_count, none.status], [1, "completed"]);
  assert.equal((await acme.get("/mailing_export/")).data.length, 2);
  await post({ platform: "brevo", config: { list_id: "5" } }, "platform");
  await post({ platform: "brevo", config: { list_id: "../5" } }, "config.list_id");
  // A selection under another name would export everybody.
  await post({ platform: "csv", query: "name:Ann" }, "query");
  await post({ platform: "csv", filters: { tags: "vip" } }, "filters.tags");
});

test("an export whose platform is away can be canceled by who asked for it, and nobody else is pushed", async () => {
  const { acme, server, body } = await connected("mailchimp");
  await acme.lead({ contacts: [{ name: "Ann", emails: [{ email: "ann@x.io" }] }] });
  const other = await acme.memberWith(["export", "view_all_leads"]);
  server.mood = { status: 503 };
  const made = await acme.post("/mailing_export/", body);
  assert.equal((await worked(acme, made, 2)).status, "running");
  const path = `/mailing_export/${made.id}/cancel/`;

  await other.refused(403, "POST", path, {});
  const canceled = await acme.post(path, {});
  server.mood = null;
  await worked(acme, made, 2);
  await withWorker(service, (worker) => worker.drained());

  assert.equal(canceled.status, "canceled");
  const { status, n_pushed, date_completed } = await acme.get(`/mailing_export/${made.id}/`);
  assert.deepEqual([status, n_pushed, date_completed], ["canceled", 0, canceled.date_completed]);
  assert.equal(server.people.size, 0);
  await acme.refused(400, "POST", path, {}, "status");
});
