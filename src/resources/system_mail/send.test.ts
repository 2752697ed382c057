// System mail: whatever happens to the mail server and the workers, it arrives, or says why it did not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { startService } from "../../../test/support/service.ts";
import { serviceWithMail } from "../../../test/support/service_with_mail.ts";
import { withTwoWorkers, withWorker } from "../../../test/support/worker.ts";
import { wakeLateJobs } from "../../jobs/claims.ts";
import { claimMs } from "../../jobs/job.ts";

const { mail, on } = await serviceWithMail({ daysApart: 40 });

let count = 0;
const address = () => `guest-${process.pid}-${++count}@example.com`;
const later = (ms: number) => (on.clock.now = new Date(on.clock.now!.getTime() + ms));
const drained = (): Promise<void> => withWorker(on, (worker) => worker.drained());

interface Kept {
  status: string;
  tries: number;
  error: string | null;
  sealed_token: string | null;
}

const keptOf = async (acme: Workspace): Promise<Kept[]> => {
  const rows = await on.app.db.query(acme.id, {
    text: "select status, tries, error, sealed_token from system_mail where organization_id = $1 order by date_created, id",
    values: [acme.id],
  });
  return rows.map(([status, tries, error, token]) => ({
    status: status!,
    tries: Number(tries),
    error: error!,
    sealed_token: token!,
  }));
};

async function inviting(): Promise<{ acme: Workspace; email: string }> {
  const acme = await organization(on);
  const email = address();
  await acme.post("/membership/", { email });
  return { acme, email };
}

test("what the server cannot take now is sent again, ever later, until it can", async () => {
  const { acme, email } = await inviting();
  await mail.close();

  await drained();
  const [down] = await keptOf(acme);
  await mail.open();
  mail.refuses = { at: "text", code: 451, words: "try again later" };
  later(60_000);
  await drained();
  const [refused] = await keptOf(acme);
  mail.refuses = null;
  later(30_000);
  await drained();
  assert.equal(mail.to(email).length, 0, "not before its time");
  later(90_000);
  await drained();

  assert.deepEqual([down!.status, down!.tries], ["outbox", 1]);
  assert.match(down!.error!, /ECONNREFUSED/);
  assert.deepEqual([refused!.status, refused!.tries], ["outbox", 2]);
  assert.match(refused!.error!, /451 .*try again later/);
  assert.equal(mail.to(email).length, 1);
  const [sent] = await keptOf(acme);
  assert.deepEqual(sent, { status: "sent", tries: 3, error: null, sealed_token: null });
});

test("what could not leave within a day is given up, and who invited is told", async () => {
  const { acme } = await inviting();
  await mail.close();
  await drained();
  later(24 * 3600 * 1000);
  await drained();
  await mail.open();

  const [kept] = await keptOf(acme);
  assert.equal(kept!.status, "error");
  assert.equal(kept!.sealed_token, null);
  const [notice] = (await acme.get("/notification/")).data;
  assert.equal(notice.type, "message_failed");
  assert.match(notice.body, /ECONNREFUSED/);
});

test("what the server refuses for good ends with its words, and who invited is told them", async () => {
  for (const at of ["recipient", "text"] as const) {
    const { acme, email } = await inviting();
    mail.refuses = { at, code: 550, words: "5.1.1 nobody of that name lives here" };

    await drained();
    later(3600 * 1000);
    await drained();

    const [kept] = await keptOf(acme);
    assert.deepEqual([kept!.status, kept!.tries], ["error", 1]);
    assert.match(kept!.error!, /550 5\.1\.1 nobody of that name lives here/);
    const [notice] = (await acme.get("/notification/")).data;
    assert.equal(notice.title, `The invitation to ${email} could not be sent`);
    assert.match(notice.body, /nobody of that name/);
    mail.refuses = null;
  }
});

test("a worker that ends between the server's receipt and ours has it sent again with the same Message-ID", async () => {
  const { acme, email } = await inviting();
  // Another worker takes over our claim, as after a minute of silence. Then the server confirms the mail.
  mail.beforeReceipt = async () => {
    mail.beforeReceipt = null;
    later(claimMs);
    await wakeLateJobs(on.app.core, acme.id);
  };

  await drained();
  await drained();

  const ids = mail.to(email).map(({ messageId }) => messageId);
  assert.equal(ids.length, 2);
  assert.equal(new Set(ids).size, 1);
  assert.deepEqual(
    (await keptOf(acme)).map(({ status }) => status),
    ["sent"],
  );
});

test("two workers send each mail once", async () => {
  const acme = await organization(on);
  const emails = Array.from({ length: 20 }, address);
  for (const email of emails) await acme.post("/membership/", { email });

  await withTwoWorkers(on, (both) => both.drained());

  assert.deepEqual(
    emails.map((email) => mail.to(email).length),
    emails.map(() => 1),
  );
});

test("a mail at which five workers ended is given up", async () => {
  const { acme, email } = await inviting();
  await on.app.db.transaction(acme.id, async (tx) =>
    tx.write({ text: "update job set crashes = 5 where organization_id = $1", values: [acme.id] }),
  );

  await drained();

  assert.equal(mail.to(email).length, 0);
  assert.match((await keptOf(acme))[0]!.error!, /workers ended/);
});

test("what waits when SMTP_URL is taken away says that it is not set", async () => {
  const { acme } = await inviting();
  const without = await startService({ databaseUrl: on.databaseUrl });
  try {
    without.clock.now = on.clock.now;
    await withWorker(without, (worker) => worker.drained());
  } finally {
    await without.close();
  }

  assert.deepEqual(
    (await keptOf(acme)).map(({ status, error }) => [status, error]),
    [["error", "SMTP_URL is not set, so no mail is sent."]],
  );
});

test("a month later it is forgotten", async () => {
  const { acme } = await inviting();
  await drained();

  later(31 * 24 * 3600 * 1000);
  await drained();

  assert.deepEqual(await keptOf(acme), []);
});
