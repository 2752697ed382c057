// The lists of mailing platforms: which of them contacts are on, and how that is kept up to date.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { brevo, mailchimp, type PlatformServer } from "../../../test/support/mailing_platforms.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import { withWorker } from "../../../test/support/worker.ts";

const key = "secret-key-us21";
const servers: Record<string, () => PlatformServer> = { mailchimp: () => mailchimp(key), brevo: () => brevo(key) };

/** Does what is due after so many hours. */
async function later(acme: Workspace, hours = 0): Promise<void> {
  acme.service.clock.now = new Date((acme.service.clock.now ?? new Date()).getTime() + hours * 3_600_000);
  await withWorker(acme.service, (worker) => worker.drained());
}

const listsOf = async (acme: Workspace, { id }: any) =>
  (await acme.get(`/contact/${id}/`)).external_profiles.map(({ source, list_names }: any) => [source, list_names]);
const syncOf = async (acme: Workspace, service: string) =>
  (await acme.get("/credentials/")).data.find((one: any) => one.service === service).sync;

for (const [service, start] of Object.entries(servers))
  test(`contacts say which lists of ${service} they are on: from the connection on, every six hours, and when asked`, async () => {
    const acme = await organization(await outboundService());
    const server = await start().start();
    const ann = await acme.contact({ emails: [{ email: "Ann@x.io" }] });
    const bob = await acme.contact({ emails: [{ email: "other@x.io" }, { email: "bob@x.io" }] });
    server.lists = [
      ["News", [...Array.from({ length: 1200 }, (_, i) => `p${i}@y.io`), "ann@x.io"]],
      ["Fair", ["bob@x.io", "ann@x.io", "stranger@x.io"]],
    ];

    await acme.put(`/credentials/${service}/`, { api_key: key, base_url: server.url });
    await later(acme);
    const first = [await listsOf(acme, ann), await listsOf(acme, bob), await syncOf(acme, service)];
    const events = (await acme.events(ann.id)).length;
    await later(acme, 5);
    server.lists[1] = ["Fair", ["ann@x.io"]];
    await later(acme, 2);

    const { status, n_members, n_unknown, error } = first[2];
    assert.deepEqual(first.slice(0, 2), [[[service, ["Fair", "News"]]], [[service, ["Fair"]]]]);
    assert.deepEqual([status, n_members, n_unknown, error], ["waiting", 1204, 1201, null]);
    assert.deepEqual([await listsOf(acme, ann), await listsOf(acme, bob)], [[[service, ["Fair", "News"]]], []]);
    // What is as before is not written again.
    assert.equal((await acme.events(ann.id)).length, events);
    assert.equal((await acme.get("/contact/?_count=exact")).total_results, 2);

    server.lists = [["News", ["bob@x.io"]]];
    await acme.post(`/credentials/${service}/sync/`, {});
    await later(acme);
    assert.deepEqual([await listsOf(acme, ann), await listsOf(acme, bob)], [[], [[service, ["News"]]]]);
    const { list, added } = await acme.post("/contact_list/copy_from_source/", { name: "News", source: service });
    assert.deepEqual([list.source, added], [service, 1]);
  });

test("a platform that is away is asked again where the reading was, and wrong credentials say so until they are changed", async () => {
  const acme = await organization(await outboundService());
  const server = await brevo(key).start();
  const ann = await acme.contact({ emails: [{ email: "ann@x.io" }] });
  server.lists = [["News", ["ann@x.io", "no-mail@x.io"]]];
  server.mood = ({ path }) => (path.endsWith("/1/contacts") ? { status: 429, headers: { "retry-after": "60" } } : null);

  await acme.put("/credentials/brevo/", { api_key: key, base_url: server.url });
  await later(acme);
  const waiting = await syncOf(acme, "brevo");
  server.mood = null;
  await later(acme, 0.1);
  const done = await syncOf(acme, "brevo");
  await acme.put("/credentials/brevo/", { api_key: "another-key", base_url: server.url });
  await later(acme);
  const refused = await syncOf(acme, "brevo");

  assert.deepEqual([waiting.status, /answered 429/.test(waiting.error)], ["reading", true]);
  assert.deepEqual([done.status, done.error, done.n_members], ["waiting", null, 1]);
  assert.equal(server.asked.filter(({ path }) => path === "/v3/contacts/lists").length, 2);
  assert.match(refused.error, /answered 401: Key not found/);
  assert.deepEqual(await listsOf(acme, ann), [["brevo", ["News"]]]);
});

test("a reading is asked for by admins, for a connected service that has lists", async () => {
  const acme = await organization();
  const bob = await acme.member();
  await acme.put("/credentials/klaviyo/", { api_key: key });

  await bob.refused(403, "POST", "/credentials/mailchimp/sync/", {});
  await acme.refused(404, "POST", "/credentials/mailchimp/sync/", {});
  await acme.refused(404, "POST", "/credentials/nothing/sync/", {});
  await acme.refused(400, "POST", "/credentials/klaviyo/sync/", {});
});
