// A hundred contacts go through a sequence in thirty days. No mailbox sends more than it may, and nothing leaves out of hours.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { organization } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { type MailServer, startMailServer } from "../../../test/support/smtp.ts";
import { openWorker } from "../../jobs/worker.ts";
import { background } from "../background.ts";

let server: MailServer;
let on: Service;

before(async () => {
  server = await startMailServer();
  on = await outboundService();
});
after(() => server?.close());

test("a hundred contacts get every mail within thirty days, each day as many as the mailboxes may send, in their hours", async () => {
  const begin = Date.UTC(2033, 0, 3, 6);
  on.clock.now = new Date(begin);
  const acme = await organization(on);
  const account_ids: string[] = [];
  for (const name of ["ada", "bob", "eve"]) {
    const box = await acme.post("/connected_account/", { email: `${name}@acme.example`, smtp: server.smtp, daily_cap: 6 });
    account_ids.push(box.id);
  }
  const made = await acme.post("/sequence/", {
    name: "Outreach",
    timezone: "UTC",
    steps: ["One", "Two"].map((subject, i) => ({
      step_type: "email",
      subject,
      body: "<p>Hello</p>",
      delay: { amount: 3 * i, unit: "days" },
      threading: i === 0 ? "new_thread" : "old_thread",
    })),
    schedule: { ranges: [1, 2, 3, 4, 5].map((weekday) => ({ weekday, start: "09:00", end: "17:00" })) },
    throttle: { max_per_sender_per_day: 5 },
    sender: { mode: "rotate", account_ids },
  });
  const lead_id = (await acme.lead()).id;
  for (let i = 0; i < 100; i++) {
    const person = await acme.contact({ lead_id, emails: [{ email: `thirty-${process.pid}-${i}@client.example` }] });
    await acme.post("/sequence_subscription/", { sequence_id: made.id, contact_id: person.id });
  }

  // Nothing here follows the log, so that nothing has to wait for the transactions of other tests.
  const failures: Error[] = [];
  const worker = openWorker(on.app.core, { ...background, consumers: [], watches: [] }, (error) => failures.push(error));
  try {
    for (let day = 0; day < 30; day++) {
      // Some days are looked at before they begin, too.
      for (const hours of day % 7 === 3 ? [0, 8] : [8]) {
        on.clock.now = new Date(begin + day * 86_400_000 + hours * 3_600_000);
        await worker.drained();
      }
    }
  } finally {
    await worker.stop();
  }
  assert.deepEqual(failures, []);

  const sent = await acme.all(`/activity/email/?lead_id=${lead_id}&status=sent&_limit=200`);
  const counts = new Map<string, number>();
  for (const { email_account_id, date_sent } of sent) {
    const key = `${email_account_id} ${date_sent.slice(0, 10)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    const at = new Date(date_sent);
    assert.ok(at.getUTCDay() % 6 !== 0 && at.getUTCHours() >= 9 && at.getUTCHours() < 17, date_sent);
  }
  const { finished } = (await acme.get(`/sequence/${made.id}/`)).subscription_counts_by_status;
  assert.ok(Math.max(...counts.values()) <= 5, JSON.stringify([...counts]));
  assert.deepEqual([sent.length, finished], [200, 100]);
});
