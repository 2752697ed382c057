// Automations that push contacts to a mailing platform.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, published } from "../../../../test/support/automations.ts";
import { organization } from "../../../../test/support/given.ts";
import { brevo } from "../../../../test/support/mailing_platforms.ts";
import { outboundService } from "../../../../test/support/outbound.ts";
import { withWorker } from "../../../../test/support/worker.ts";

test("a run waits for the platform, and says whom it pushed, left out, or could not push and why", async () => {
  const acme = await organization(await outboundService());
  const server = await brevo("secret-key-1234").start();
  await acme.put("/credentials/brevo/", { api_key: "secret-key-1234", base_url: server.url });
  const push: [string, object] = ["mailing_export.push", { platform: "brevo", config: { list_id: "5" } }];
  const made = await published(acme, chain(push), { trigger: { type: "manual", config: {} } });
  const runFor = async (emails: string[]) => {
    const lead = await acme.lead({ contacts: [{ name: "X", emails: emails.map((email) => ({ email })) }] });
    return acme.post(`/automations/${made.id}/run/`, { record_id: lead.id });
  };
  server.refused.set("eve@x.io", "looks fake");
  server.mood = { status: 503 };
  const runs = [await runFor(["ann@x.io"]), await runFor([]), await runFor(["eve@x.io"])];
  const shown = () => Promise.all(runs.map(({ id }) => acme.get(`/automation_runs/${id}/`)));

  await withWorker(acme.service, async (worker) => {
    await worker.drained();
    assert.deepEqual([(await shown())[0].status, server.people.size], ["waiting", 0]);
    server.mood = null;
    acme.service.clock.now = new Date(Date.now() + 120_000);
    for (let i = 0; i < 4; i++) await worker.drained();
  });

  const [ann, nobody, eve] = await shown();
  assert.deepEqual([ann.status, ann.steps[0].output.pushed], ["completed", true]);
  assert.deepEqual(
    [nobody.status, nobody.steps[0].output.pushed, nobody.steps[0].output.reason],
    ["completed", false, "no_email"],
  );
  assert.equal(eve.status, "failed");
  assert.match(eve.error.message, /looks fake/);
  assert.deepEqual([...server.people.keys()], ["ann@x.io"]);
  // Its runs show what an automation pushes.
  assert.deepEqual((await acme.get("/notification/?type=export_done")).data, []);
});

test("publishing needs the permission to export, and a platform that takes one contact", async () => {
  const acme = await organization();
  const trigger = { type: "manual", config: {} };
  const refuse = async (who: typeof acme, config: object, code: string) => {
    const made = await who.post("/automations/", { name: "X", trigger, graph: chain(["mailing_export.push", config]) });
    const { errors } = await who.refused(400, "POST", `/automations/${made.id}/publish/`, {});
    assert.deepEqual(
      errors.map((one: any) => one.code),
      [code],
    );
  };

  await refuse(acme, { platform: "csv" }, "config_not_available");
  const bob = await acme.memberWith(["manage_email_sequences", "view_all_leads"]);
  await refuse(bob, { platform: "webhook", config: { url: "https://93.184.216.34/" } }, "permission_step");
});
