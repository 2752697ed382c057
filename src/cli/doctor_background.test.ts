// What an operator learns about background work from `headwater doctor` and from one scrape of the metrics.
import assert from "node:assert/strict";
import { hostname } from "node:os";
import { test } from "node:test";
import pg from "pg";
import { organization } from "../../test/support/given.ts";
import { command, dataDir } from "../../test/support/processes.ts";
import { startService } from "../../test/support/service.ts";
import { serviceWithMail } from "../../test/support/service_with_mail.ts";
import { withWorker } from "../../test/support/worker.ts";
import { forgetWorker, tellOfWorker } from "../auth/unscoped_work.ts";
import { createPartitions } from "../db/partitions.ts";
import { type Consumer, follow } from "../jobs/consumer.ts";
import { type Work, wake } from "../jobs/job.ts";

const failing: Work = {
  kind: "test_receiver",
  doc: "A test.",
  slots: 1,
  run: () => Promise.reject(new Error('the "receiver"\nis away')),
  giveUp: async () => {},
};
const reader: Consumer = { name: "test_reader", doc: "A test.", consume: async () => {} };
const broken = { name: "test_timer", doc: "A test.", everySeconds: 60, run: () => Promise.reject(new Error("out of order")) };

const { mail, on: sending } = await serviceWithMail();

const valueIn = (metrics: string) => (name: string) =>
  Number(new RegExp(`^headwater_${name} ([\\d.]+)$`, "m").exec(metrics)?.[1]);

test("doctor and metrics tell what waits, since when and why, and that no worker runs", async () => {
  const on = await startService();
  await createPartitions(on.databaseUrl, new Date());
  const env = { DATA_DIR: dataDir(), DATABASE_URL: on.databaseUrl };
  const acme = await organization(on);
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  on.clock.now = minutesAgo(5);
  await acme.inside(async (ctx) => follow(ctx, reader));
  await acme.lead();
  await acme.inside(async (ctx) => wake(ctx, failing, ["a", "b"]));
  const does = { works: [failing], consumers: [], timers: [broken] };
  await withWorker(on, (worker) => worker.drained(), { does, failures: [] });
  const holding = new pg.Client({ connectionString: on.databaseUrl, application_name: "a report" });
  await holding.connect();
  await holding.query("begin");
  await holding.query("select pg_current_xact_id(), 'a secret'");

  const silent = await command(["doctor"], env);
  on.clock.now = null;
  const worker = { id: "worker_test", host: hostname(), pid: 4711, started_at: minutesAgo(1), defects: 2 };
  await tellOfWorker(on.app.db, worker, new Date());
  const alive = await command(["doctor"], env);
  const other = { ...worker, id: "worker_ahead", pid: 4712 };
  await tellOfWorker(on.app.db, other, minutesAgo(-60));
  const ahead = await command(["doctor"], env);
  await forgetWorker(on.app.db, other);
  const metrics = await (await fetch(`${on.url}/metrics`)).text();
  await holding.end();

  assert.equal(silent.code, 1);
  assert.match(ahead.out, /^wrong {2}workers: 4712 on .* was heard of in 60 min: a clock is wrong, or was set back/m);
  assert.match(silent.out, /^wrong {2}workers: no worker runs: start `headwater worker`/m);
  assert.match(
    silent.out,
    /^wrong {2}jobs of test_receiver: .*2 failed and will be retried \(2 × "the "receiver"\nis away"\).* due for [45] min/ms,
  );
  assert.match(silent.out, /^wrong {2}reader of the log test_reader: \d events behind, the oldest of 5 min ago/m);
  assert.match(silent.out, /^wrong {2}timer test_timer: failed 1 times in a row: "out of order"/m);
  assert.match(alive.out, new RegExp(`^ok {5}workers: 4711 on ${hostname()}`, "m"));
  const value = valueIn(metrics);
  assert.equal(value('jobs{kind="test_receiver",state="scheduled"}'), 2);
  assert.equal(value('jobs_failing{kind="test_receiver",reason="the .*is away"}'), 2);
  assert.ok(value('job_oldest_seconds{kind="test_receiver"}') > 200);
  assert.ok(value('consumer_events_behind{consumer="test_reader"}') > 0);
  assert.ok(value('consumer_lag_seconds{consumer="test_reader"}') > 200);
  assert.equal(value('timer_failures{timer="test_timer"}'), 1);
  assert.ok(value('timer_late_seconds{timer="test_timer"}') > 100);
  assert.deepEqual([value("workers"), value("worker_unhandled_rejections")], [1, 2]);
  assert.ok(value("oldest_write_transaction_seconds") > 0);
  await on.close();
});

test("doctor and metrics report mail that was not sent, why, and what to do", async () => {
  const env = { DATA_DIR: dataDir(), DATABASE_URL: sending.databaseUrl };
  const acme = await organization(sending);
  const invited = async (email: string) => {
    await acme.post("/membership/", { email });
    await withWorker(sending, (worker) => worker.drained());
  };
  const states = async () => {
    const value = valueIn(await (await fetch(`${sending.url}/metrics`)).text());
    return ["waiting", "failing", "failed"].map((state) => value(`system_mail{state="${state}"}`));
  };

  await invited("ann@example.com");
  const [healthy, none] = [await command(["doctor"], env), await states()];
  mail.refuses = { at: "recipient", code: 550, words: "5.1.1 nobody of that name" };
  await invited("bob@example.com");
  mail.refuses = { at: "text", code: 451, words: "4.3.0 come again" };
  await invited("eve@example.com");
  const [ill, some] = [await command(["doctor"], env), await states()];
  sending.clock.now = new Date(Date.now() + 25 * 3600 * 1000);

  assert.match(healthy.out, /^ok {5}system mail: 0 to be sent$/m);
  assert.deepEqual(
    [none, some],
    [
      [0, 0, 0],
      [1, 1, 1],
    ],
  );
  assert.match(ill.out, /^wrong {2}system mail: 1 to be sent: 1 failed and will be retried; 1 could not be sent/m);
  assert.match(ill.out, /\(1 × "451 [^"]*come again", 1 × "550 [^"]*nobody of that name"\): check SMTP_URL/);
  assert.deepEqual(await states(), [1, 1, 0], "yesterday's is told of no more");
});
