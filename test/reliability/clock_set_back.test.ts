// The clock was an hour ahead, and somebody sets it right while the service works: nothing waits for that hour to pass again, and nothing
// is done twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { claimJobs, requestOf, wakeLateJobs } from "../../src/jobs/claims.ts";
import { claimMs, holdClaim, release, type Work, wake } from "../../src/jobs/job.ts";
import { asSystem } from "../../src/records/acting.ts";
import { settled } from "../support/feed.ts";
import { organization, type Workspace } from "../support/given.ts";
import { until } from "../support/processes.ts";
import { receiver } from "../support/receiver.ts";
import { type Service, startService } from "../support/service.ts";
import { startMailServer } from "../support/smtp.ts";
import { Listener } from "../support/stream.ts";
import { givePassword, goodPassword, Visitor } from "../support/visitor.ts";
import { withWorker } from "../support/worker.ts";
import { startOutbound } from "../support/worker_process.ts";

const hourMs = 3_600_000;
const passes = (on: Service, ms: number) => (on.clock.now = new Date((on.clock.now ?? new Date()).getTime() + ms));
const drained = (on: Service) => withWorker(on, (worker) => worker.drained());

/** A service whose clock is an hour ahead. */
async function ahead(t: { after(close: () => Promise<void>): void }, env: Record<string, string> = {}): Promise<Workspace> {
  const on = await startService({ env: { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8", ...env } });
  t.after(() => on.close());
  passes(on, hourMs);
  return organization(on);
}

test("the job of a dead worker is taken over after its minute, a living worker keeps its own, and a failure is tried again", async (t) => {
  const acme = await ahead(t);
  const { core } = acme.service.app;
  let tries = 0;
  const failsOnce: Work = {
    kind: "test_fails_once",
    doc: "A test.",
    slots: 1,
    async run(core, job) {
      if (++tries === 1) throw new Error("not yet");
      await asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
        await holdClaim(ctx, job);
        release(ctx, job, null);
      });
    },
    giveUp: async () => {},
  };
  const claimed: Pick<Work, "kind"> = { kind: "test_claimed" };
  await acme.inside(async (ctx) => {
    wake(ctx, failsOnce, ["a"]);
    wake(ctx, claimed, ["dead", "living"]);
  });
  const does = { works: [failsOnce], consumers: [], timers: [] };
  await withWorker(acme.service, (worker) => worker.drained(), { does, failures: [] });
  const [dead, living] = await claimJobs(core, acme.id, claimed, { most: 2, shared: 2 }, "claim_before");

  passes(acme.service, -hourMs);
  await withWorker(acme.service, (worker) => worker.drained(), { does });
  assert.equal(tries, 2);
  await asSystem(core, acme.id, requestOf(living!), async (ctx) => {
    await holdClaim(ctx, living!);
    release(ctx, living!, null);
  });
  const early = await claimJobs(core, acme.id, claimed, { most: 2, shared: 2 }, "claim_early");
  passes(acme.service, claimMs + 1000);
  await wakeLateJobs(core, acme.id);
  const late = await claimJobs(core, acme.id, claimed, { most: 2, shared: 2 }, "claim_late");

  assert.deepEqual([early, late.map(({ object_id }) => object_id)], [[], [dead!.object_id]]);
});

test("a worker process with the right clock goes on where one that was an hour ahead was killed", async (t) => {
  const on = await startService({ env: { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8" } });
  t.after(() => on.close());
  const acme = await organization(on);
  const hook = await receiver();
  t.after(async () => hook.close());
  await acme.post("/webhook/", { url: hook.url, events: ["lead.created"] });
  const lead = await acme.lead();
  const clock = (laterMs: number, rate: number) => ({ at: Date.now() + laterMs, real: Date.now(), rate });

  const doomed = await startOutbound(on, { clock: clock(hourMs, 1), dies: { before: "webhook.write_turn" } });
  assert.equal(await doomed.ended, "SIGKILL");
  const next = await startOutbound(on, { clock: clock(0, 20) });
  const deliveries = async () => {
    const [one] = (await acme.get("/webhook/")).data;
    return (await acme.get(`/webhook/${one.id}/delivery/`)).data;
  };
  await until(async () => (await deliveries()).some(({ status }: any) => status === "succeeded"));
  await next.stop();

  assert.deepEqual(next.failures, []);
  assert.deepEqual([...new Set(hook.objects())], [lead.id]);
  assert.equal((await deliveries()).length, 1);
});

test("events are in the order of their commits, in the feed and at a webhook that asked for it, and each comes once", async (t) => {
  const acme = await ahead(t);
  const hook = await receiver();
  t.after(async () => hook.close());
  await acme.post("/webhook/", { url: hook.url, events: ["lead.*"], ordering: "object" });
  const { cursor_previous } = await acme.get("/event/?_limit=1");
  const lead = await acme.lead({ name: "0" });
  await acme.put(`/lead/${lead.id}/`, { name: "1" });
  await drained(acme.service);

  passes(acme.service, -hourMs);
  for (const name of ["2", "3"]) await acme.put(`/lead/${lead.id}/`, { name });
  await drained(acme.service);
  await settled(acme);

  const names = (events: any[]) => events.filter((one) => one.object_id === lead.id).map((one) => one.data.name);
  const feed = await acme.get(`/event/?_limit=200&_cursor=${encodeURIComponent(cursor_previous)}`);
  assert.deepEqual(names(feed.data.toReversed()), ["0", "1", "2", "3"]);
  assert.deepEqual(names(hook.received.map(({ body }) => body.event)), ["0", "1", "2", "3"]);
});

test("mail is sent once: what has left does not leave again, and what is planned leaves at its time", async (t) => {
  const mail = await startMailServer();
  t.after(() => mail.close());
  const acme = await ahead(t);
  await acme.post("/connected_account/", { email: "ada@acme.example", smtp: mail.smtp });
  const { id: lead_id } = await acme.lead();
  const write = (to: string, more: object) =>
    acme.post("/activity/email/", { lead_id, to: [to], subject: "Our offer", body_text: "Dear Ann", ...more });
  await write("now@client.example", { status: "outbox" });
  const date_scheduled = new Date(acme.service.clock.now!.getTime() + 600_000).toISOString();
  await write("later@client.example", { status: "scheduled", date_scheduled });
  await drained(acme.service);

  passes(acme.service, -hourMs);
  await write("soon@client.example", { status: "outbox" });
  await drained(acme.service);
  const sent = () => mail.received.flatMap(({ recipients }) => recipients);
  assert.deepEqual(sent(), ["now@client.example", "soon@client.example"]);
  passes(acme.service, hourMs + 600_000);
  await drained(acme.service);

  assert.deepEqual(sent(), ["now@client.example", "soon@client.example", "later@client.example"]);
});

test("people stay signed in, links hold, and nobody is locked out for the hour", async (t) => {
  const acme = await ahead(t, { RATE_LIMIT: "on", RATE_LIMIT_WRITE: "4/10" });
  await givePassword(acme.service, acme.userId);
  const { email } = await acme.get("/me/");
  const [visitor, wrong] = [new Visitor(acme.service), new Visitor(acme.service)];
  await visitor.signIn(email, goodPassword);
  const share_expires_at = new Date(acme.service.clock.now!.getTime() + 60_000).toISOString();
  const file = await acme.post("/file/", { name: "a.txt", content_base64: "eA==", share_expires_at });
  const once = { body: { name: "Once" }, headers: { "idempotency-key": "once" } };
  const first = await acme.ask("POST", "/lead/", once);
  for (let i = 0; i < 20; i++) await wrong.signIn(email, "a wrong password of mine").catch(() => {});

  passes(acme.service, -hourMs);

  assert.ok((await visitor.open("/account/")).path.startsWith("/account/"));
  assert.equal(await (await fetch(file.share_url.replace("http://localhost", acme.service.url))).text(), "x");
  assert.equal((await acme.ask("POST", "/lead/", once)).body.id, first.body.id);
  let refused = await acme.ask("POST", "/lead/", { body: { name: "More" } });
  for (let i = 0; i < 6 && refused.status !== 429; i++) refused = await acme.ask("POST", "/lead/", { body: { name: "More" } });
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get("retry-after")) <= 10);
  await wrong.signIn(email, goodPassword).catch(() => {});
  passes(acme.service, 16 * 60_000);
  await wrong.signIn(email, goodPassword);
  assert.ok((await wrong.open("/account/")).path.startsWith("/account/"), "a pause of before is over");
});

test("a stream goes on, and ends when its key does", async (t) => {
  const acme = await ahead(t);
  const key = await acme.post("/api_key/", { name: "A follower", scopes: ["read"] });
  const follower = Object.assign(Object.create(Object.getPrototypeOf(acme)), acme, { key: key.key });
  const stream = await new Listener(follower, "").begun();
  t.after(() => stream.close());

  passes(acme.service, -hourMs);
  const lead = await acme.lead();
  await stream.heardAll(1);
  assert.ok(stream.heard.some(({ data }) => data.object_id === lead.id));
  await acme.delete(`/api_key/${key.id}/`);
  passes(acme.service, 11_000);
  await until(() => stream.hasEnded);
});
