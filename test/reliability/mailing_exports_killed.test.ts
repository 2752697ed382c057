// Workers that are killed while they push contacts: others go on, and everybody is at the platform once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../support/given.ts";
import { mailchimp } from "../support/mailing_platforms.ts";
import { outboundService } from "../support/outbound.ts";
import { finishLater } from "../support/worker.ts";
import { startOutbound } from "../support/worker_process.ts";

const people = 12;

for (const [place, dies] of [
  ["before a batch is recorded", { before: "mailing_export_item.mark" }],
  ["before the platform's answer is stored", { before: "mailing_export_item.mark", nth: 2 }],
] as const)
  test(`a worker that is killed ${place} leaves nobody out, and nobody is counted twice`, async () => {
    const service = await outboundService();
    const acme = await organization(service);
    const server = await mailchimp("secret-key-us21").start();
    await acme.put("/credentials/mailchimp/", { api_key: "secret-key-us21", base_url: server.url });
    const rows = Array.from({ length: people }, (_, i) => ({ name: `P${i}`, emails: [{ email: `p${i}@x.io` }] }));
    await acme.lead({ contacts: rows });
    server.refused.set("p7@x.io", "looks fake");
    const { id } = await acme.post("/mailing_export/", { platform: "mailchimp", config: { list_id: "a1" } });

    const doomed = await startOutbound(service, { dies });
    assert.equal(await doomed.ended, "SIGKILL");
    const then = await acme.get(`/mailing_export/${id}/`);
    await finishLater(service, async () => (await acme.get(`/mailing_export/${id}/`)).status === "completed");

    const done = await acme.get(`/mailing_export/${id}/`);
    assert.equal(then.n_pushed + then.n_failed, 0);
    assert.deepEqual([done.n_pushed, done.n_failed, done.n_skipped], [people - 1, 1, 0]);
    assert.equal(server.people.size, people - 1);
  });
