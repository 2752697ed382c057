// A worker that is killed while it deletes what is older than its organization keeps it: another one goes on, and each is deleted once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../support/given.ts";
import { until } from "../support/processes.ts";
import { startService } from "../support/service.ts";
import { startWorker, type WorkerSettings } from "../support/worker_process.ts";

const mails = 70;

test("a worker is killed in the middle of deleting old mail: a batch is gone or there as a whole, and another one deletes the rest", async (t) => {
  const on = await startService();
  t.after(() => on.close());
  const acme = await organization(on);
  const lead = await acme.lead();
  for (let i = 0; i < mails; i++) {
    const more = { status: "sent", to: ["bob@client.example"], subject: `Subject ${i % 9}`, activity_at: "2020-01-01T12:00:00Z" };
    await acme.post("/activity/email/", { lead_id: lead.id, ...more });
  }
  await acme.put(`/organization/${acme.id}/`, { settings: { retention: { mail_days: 30 } } });
  const left = async (type: string): Promise<number> => (await acme.get(`/activity/?_type=${type}&_limit=200`)).data.length;
  const start = (laterMs: number, dies?: WorkerSettings["dies"]) =>
    startWorker({ databaseUrl: on.databaseUrl, dies, clock: { at: Date.now() + laterMs, real: Date.now(), rate: 1 } });

  const doomed = await start(0, { before: "email_thread.mails", nth: 60 });
  assert.equal(await doomed.ended, "SIGKILL");
  assert.equal(await left("Email"), mails - 50);
  const next = await start(301_000);
  await until(async () => (await left("Email")) === 0);
  await next.stop();

  assert.deepEqual(next.failures, []);
  assert.equal(await left("EmailThread"), 0);
  const counted = {
    text: "select count(*), count(distinct object_id) from event where organization_id = $1 and event = 'activity.email.deleted'",
    values: [acme.id],
  };
  assert.deepEqual((await on.app.db.query(acme.id, counted))[0], [String(mails), String(mails)]);
});
