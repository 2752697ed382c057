// What all background work relies on: a job is done once, no wake-up is lost, and nobody waits behind others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { organization, type Workspace } from "../../test/support/given.ts";
import { startService } from "../../test/support/service.ts";
import { withTwoWorkers, withWorker } from "../../test/support/worker.ts";
import type { Ctx } from "../core/context.ts";
import { asSystem } from "../records/acting.ts";
import { emitCustom } from "../records/event.ts";
import { lockRecord } from "../records/records.ts";
import { lead } from "../resources/leads/lead.ts";
import { claimJobs, requestOf, wakeLateJobs } from "./claims.ts";
import { type Consumer, follow } from "./consumer.ts";
import { ClaimLost, claimMs, holdClaim, type Job, outside, release, type Work, wake } from "./job.ts";
import { openWorker } from "./worker.ts";

let kinds = 0;

/** Claims a single job. */
const one = { most: 1, shared: 1 };

/** A kind of work for tests: it records its jobs, then runs `act`. */
function workThat(act: (ctx: Ctx, job: Job) => Promise<Date | null>, slots = 4) {
  const done: string[] = [];
  const givenUp: string[] = [];
  const work: Work = {
    kind: `test_${process.pid}_${++kinds}`,
    doc: "A test.",
    slots,
    async run(core, job) {
      await asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
        await holdClaim(ctx, job);
        release(ctx, job, await act(ctx, job));
      });
      done.push(job.object_id);
    },
    async giveUp(_ctx, job) {
      givenUp.push(job.object_id);
    },
  };
  return { work, done, givenUp };
}

const only = (work: Work) => ({ works: [work], consumers: [], timers: [] });

const ask = (ws: Workspace, work: Work, ids: string[], at?: Date, lane?: string) =>
  ws.inside(async (ctx) => wake(ctx, work, ids, at, lane));

test("a job is done once, however often it was asked for", async () => {
  const acme = await organization();
  const { work, done } = workThat(async () => null);

  await ask(acme, work, ["a", "b"]);
  await ask(acme, work, ["a"]);
  await withWorker(acme.service, (worker) => worker.drained(), { does: only(work) });

  assert.deepEqual(done.sort(), ["a", "b"]);
});

test("what is rolled back was never asked for", async () => {
  const acme = await organization();
  const { work, done } = workThat(async () => null);

  await assert.rejects(
    acme.inside(async (ctx) => {
      wake(ctx, work, ["a"]);
      throw new Error("not this time");
    }),
  );
  await withWorker(acme.service, (worker) => worker.drained(), { does: only(work) });

  assert.deepEqual(done, []);
});

test("a job of tomorrow is done tomorrow, and a week later is no obstacle", async () => {
  const acme = await organization();
  const { work, done } = workThat(async () => null);
  const { clock } = acme.service;
  clock.now = new Date("2031-03-01T08:00:00Z");
  await ask(acme, work, ["tomorrow"], new Date("2031-03-02T08:00:00Z"));

  await withWorker(
    acme.service,
    async (worker) => {
      await worker.drained();
      assert.deepEqual(done, []);
      clock.now = new Date("2031-03-08T08:00:00Z");
      await worker.drained();
    },
    { does: only(work) },
  );

  assert.deepEqual(done, ["tomorrow"]);
});

test("who asks while the job is being done has it done again", async () => {
  const acme = await organization();
  let hasAsked = false;
  const { work, done } = workThat(async () => {
    if (!hasAsked) await ask(acme, work, ["a"]);
    hasAsked = true;
    return null;
  });
  // Sent from outside of the transaction that holds the job, as a request would do. It waits only for the commit.
  const outside: Work = {
    ...work,
    async run(core, job) {
      if (!hasAsked) await ask(acme, work, ["a"]);
      hasAsked = true;
      await work.run(core, job);
    },
  };

  await ask(acme, work, ["a"]);
  await withWorker(acme.service, (worker) => worker.drained(), { does: only(outside) });

  assert.deepEqual(done, ["a", "a"]);
});

test("a worker that was thought dead commits nothing", async () => {
  const acme = await organization();
  const { core } = acme.service.app;
  const { clock } = acme.service;
  const { work } = workThat(async () => null);
  clock.now = new Date("2031-03-01T08:00:00Z");
  await ask(acme, work, ["a"]);

  const [dead] = await claimJobs(core, acme.id, work, one, "claim_dead");
  assert.deepEqual(await claimJobs(core, acme.id, work, one, "claim_early"), [], "nobody else has it meanwhile");
  clock.now = new Date(clock.now.getTime() + claimMs);
  await wakeLateJobs(core, acme.id);
  const [living] = await claimJobs(core, acme.id, work, one, "claim_living");
  const late = asSystem(core, acme.id, requestOf(dead!), async (ctx) => {
    await holdClaim(ctx, dead!);
    release(ctx, dead!, null);
  });

  await assert.rejects(late, ClaimLost);
  assert.equal(living!.crashes, 1);
  assert.equal(dead!.crashes, 0);
});

test("a job that ends five workers is given up, and says so", async () => {
  const acme = await organization();
  const { core } = acme.service.app;
  const { clock } = acme.service;
  const { work, done, givenUp } = workThat(async () => null);
  clock.now = new Date("2031-03-01T08:00:00Z");
  await ask(acme, work, ["poison"]);

  for (let i = 0; i < 5; i++) {
    await claimJobs(core, acme.id, work, one, `claim_${i}`);
    clock.now = new Date(clock.now.getTime() + claimMs);
    await wakeLateJobs(core, acme.id);
  }
  await withWorker(acme.service, (worker) => worker.drained(), { does: only(work) });

  assert.deepEqual([done, givenUp], [[], ["poison"]]);
});

test("a job is given up while a request changes its record and wakes it: neither fails, and nothing is forgotten", async () => {
  const acme = await organization();
  const { core } = acme.service.app;
  const { clock } = acme.service;
  const { id } = await acme.lead();
  const { work, done } = workThat(async () => null);
  const [locked, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const givingUp: Work = {
    ...work,
    async giveUp(ctx) {
      begun.resolve();
      await lockRecord(ctx, lead, id);
    },
  };
  clock.now = new Date("2031-03-01T08:00:00Z");
  await ask(acme, work, [id]);
  for (let i = 0; i < 5; i++) {
    await claimJobs(core, acme.id, work, one, `claim_${i}`);
    clock.now = new Date(clock.now.getTime() + claimMs);
    await wakeLateJobs(core, acme.id);
  }

  const request = acme.inside(async (ctx) => {
    await lockRecord(ctx, lead, id);
    locked.resolve();
    await begun.promise;
    wake(ctx, work, [id]);
  });
  const working = locked.promise.then(() => withWorker(acme.service, (worker) => worker.drained(), { does: only(givingUp) }));
  await Promise.all([request, working]);

  assert.deepEqual(done, [id]);
});

test("what fails is tried again later, and the reason is known meanwhile", async () => {
  const acme = await organization();
  const { clock } = acme.service;
  let tries = 0;
  const { work, done } = workThat(async () => {
    if (++tries < 3) throw new Error("the receiver is away");
    return null;
  });
  const failures: Error[] = [];
  clock.now = new Date("2031-03-01T08:00:00Z");
  await ask(acme, work, ["a"]);

  await withWorker(
    acme.service,
    async (worker) => {
      await worker.drained();
      assert.deepEqual(await waiting(acme, work), [["scheduled", "1", "the receiver is away"]]);
      clock.now = new Date(clock.now!.getTime() + 2_000);
      await worker.drained();
      clock.now = new Date(clock.now!.getTime() + 4_000);
      await worker.drained();
    },
    { does: only(work), failures },
  );

  assert.deepEqual(done, ["a"]);
  assert.equal(failures.length, 2);
});

const waiting = (ws: Workspace, { kind }: Work) =>
  ws.service.app.db.query(ws.id, {
    text: "select state, failures, latest_error from job where organization_id = $1 and kind = $2",
    values: [ws.id, kind],
  });

test("a thousand jobs of one organization do not hold up five of another", async () => {
  const [large, small] = await Promise.all([organization(), organization()]);
  const order: string[] = [];
  const { work } = workThat(async (ctx) => {
    order.push(ctx.organization_id);
    return null;
  });
  await ask(
    large,
    work,
    Array.from({ length: 1000 }, (_, i) => `large_${i}`),
  );
  await ask(small, work, ["1", "2", "3", "4", "5"]);

  await withWorker(large.service, (worker) => worker.drained(), { does: only(work) });

  assert.equal(order.length, 1005);
  assert.ok(order.lastIndexOf(small.id) < 50, `the last of the small one was number ${order.lastIndexOf(small.id)}`);
});

/** Ten seconds at most: what never comes true fails the test that asserts it. */
async function until(isTrue: () => boolean): Promise<void> {
  for (let i = 0; i < 2000 && !isTrue(); i++) await sleep(5);
}

for (const slots of [8, 2])
  test(`slow jobs of one organization leave places to another, where there are ${slots}`, async () => {
    const [slow, other] = await Promise.all([organization(), organization()]);
    const { work, done } = workThat(async () => null, slots);
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const begun: string[] = [];
    const waits: Work = {
      ...work,
      async run(core, job) {
        begun.push(job.object_id);
        if (job.organization_id === slow.id) await answered;
        await work.run(core, job);
      },
    };
    const slowOnes = Array.from({ length: 20 }, (_, i) => `slow_${i}`);
    const others = Array.from({ length: 10 }, (_, i) => `other_${i}`);
    await ask(slow, work, slowOnes);

    await withWorker(
      slow.service,
      async (worker) => {
        const drained = worker.drained();
        await until(() => begun.length >= slots / 2);
        await ask(other, work, others);
        await until(() => done.length === others.length);
        const [doneBefore, begunBefore] = [done.toSorted(), begun.length];
        answer();
        await drained;

        assert.deepEqual(doneBefore, others.toSorted());
        assert.equal(begunBefore, others.length + slots / 2, "one organization holds as many as it leaves free");
      },
      { does: only(waits) },
    );

    assert.deepEqual(done.toSorted(), [...slowOnes, ...others].toSorted());
  });

test("slow lanes leave places to the other lanes of their organization, and to others", async () => {
  const [acme, other] = await Promise.all([organization(), organization()]);
  const { work, done } = workThat(async () => null, 32);
  const answered = Promise.withResolvers<void>();
  const begun: string[] = [];
  const waits: Work = {
    ...work,
    laneMost: 3,
    async run(core, job) {
      begun.push(job.object_id);
      if (job.object_id.startsWith("slow")) await answered.promise;
      await work.run(core, job);
    },
  };
  const fill = (ws: Workspace, lane: string) =>
    ask(
      ws,
      work,
      Array.from({ length: 10 }, (_, i) => `${lane}_${i}`),
      undefined,
      lane,
    );
  const slow = (of: readonly string[]) => of.filter((id) => id.startsWith("slow"));
  await fill(acme, "slow_0");

  await withWorker(
    acme.service,
    async (worker) => {
      const drained = worker.drained();
      await until(() => begun.length >= 3);
      for (let i = 1; i < 10; i++) await fill(acme, `slow_${i}`);
      await fill(acme, "quick");
      await fill(other, "else");
      await until(() => done.length === 20);
      const [quick, stuck] = [done.toSorted(), slow(begun)];
      answered.resolve();
      await drained;

      assert.deepEqual(quick, [..."0123456789"].flatMap((i) => [`else_${i}`, `quick_${i}`]).toSorted());
      const inLanes = Map.groupBy(stuck, (id) => id.slice(0, -2));
      assert.deepEqual([inLanes.size, inLanes.get("slow_0")!.length], [10, 3], "each lane has begun, none with more than three");
      assert.ok(stuck.length < 16, `${stuck.length} of the slow jobs have begun`);
    },
    { does: only(waits) },
  );

  assert.equal(done.length, 120);
});

test("jobs that wait long for something outside leave their places to others, of their own organization too", async () => {
  const acme = await organization();
  const { work, done } = workThat(async () => null, 12);
  const answered = Promise.withResolvers<void>();
  const begun: string[] = [];
  const waits: Work = {
    ...work,
    async run(core, job) {
      begun.push(job.object_id);
      if (job.object_id.startsWith("slow")) await outside(job, answered.promise);
      await work.run(core, job);
    },
  };
  const stuck = Array.from({ length: 13 }, (_, i) => `slow_${i}`);
  await ask(acme, work, stuck);

  await withWorker(
    acme.service,
    async (worker) => {
      await until(() => begun.length === stuck.length);
      await ask(acme, work, ["quick"]);
      await until(() => done.length > 0);
      assert.deepEqual(done, ["quick"]);
      answered.resolve();
      await worker.drained();
    },
    { does: only(waits) },
  );

  assert.equal(done.length, stuck.length + 1);
});

test("two workers share the jobs, and none is done twice", async () => {
  const acme = await organization();
  const { work, done } = workThat(async () => (await sleep(1), null), 8);
  const ids = Array.from({ length: 200 }, (_, i) => `job_${i}`);
  await ask(acme, work, ids);

  await withTwoWorkers(acme.service, (both) => both.drained(), { does: only(work) });

  assert.deepEqual(done.sort(), ids.sort());
});

test("a worker that has to end in the middle of a job gives it back at once, and commits nothing more of it", async () => {
  const acme = await organization();
  const { core } = acme.service.app;
  const { work, done } = workThat(async () => null);
  let goOn = () => {};
  const asked = new Promise<void>((resolve) => (goOn = resolve));
  const slow: Work = { ...work, run: (_, job) => asked.then(() => work.run(core, job)) };
  await ask(acme, work, ["a"]);
  const worker = openWorker(core, only(slow), () => {});
  while ((await waiting(acme, work))[0]![0] !== "claimed") await sleep(5);

  await worker.stop(10);

  assert.deepEqual(await waiting(acme, work), [["ready", "0", null]]);
  goOn();
  await worker.stop();
  assert.deepEqual(done, []);
  await withWorker(acme.service, (other) => other.drained(), { does: only(work) });
  assert.deepEqual(done, ["a"]);
});

test("a consumer is given every event once, in the order of the commits, with eight who write", async () => {
  const acme = await organization();
  const read: string[] = [];
  const consumer: Consumer = {
    name: `test_${process.pid}_${++kinds}`,
    doc: "A test.",
    async consume(_ctx, events) {
      read.push(...events.filter((one) => one.event === "lead.created").map((one) => one.object_id));
    },
  };
  await acme.inside(async (ctx) => follow(ctx, consumer));

  const does = { works: [], consumers: [consumer], timers: [] };
  const made = await withTwoWorkers(
    acme.service,
    async (both) => {
      const writers = Array.from({ length: 8 }, async () => {
        const ids: string[] = [];
        for (let i = 0; i < 20; i++) ids.push((await acme.lead()).id);
        return ids;
      });
      const ids = (await Promise.all(writers)).flat();
      while (read.length < ids.length) await Promise.all([both.drained(), sleep(5)]);
      return ids;
    },
    { does },
  );

  assert.deepEqual([...read].sort(), made.sort());
});

test("a consumer that reads for long holds up no job", async () => {
  const [acme, globex] = [await organization(), await organization()];
  const { work, done } = workThat(async () => null);
  const reads = Promise.withResolvers<void>();
  const consumer: Consumer = {
    name: `test_${process.pid}_${++kinds}`,
    doc: "A test.",
    consume: async () => void (await reads.promise),
  };
  await acme.inside(async (ctx) => follow(ctx, consumer));
  await acme.lead();
  await ask(globex, work, ["a"]);

  const worker = openWorker(acme.service.app.core, { works: [work], consumers: [consumer], timers: [] }, assert.ifError);
  while (done.length === 0) await sleep(5);
  reads.resolve();
  await worker.drained();
  await worker.stop();

  assert.deepEqual(done, ["a"]);
});

test("six read the log at once, and those of all other organizations get their turn, also beside logs that grow", async () => {
  const acmes: Workspace[] = [];
  for (let i = 0; i < 9; i++) acmes.push(await organization());
  const [gate, served, growing] = [Promise.withResolvers<void>(), new Set<string>(), new Set<string>()];
  let [now, most] = [0, 0];
  const consumer: Consumer = {
    name: `test_${process.pid}_${++kinds}`,
    doc: "A test.",
    async consume(ctx) {
      most = Math.max(most, ++now);
      served.add(ctx.organization_id);
      if (served.size === 6) setTimeout(gate.resolve, 300);
      await gate.promise;
      now--;
      // The log of the first six never ends.
      if (served.size < 9 && growing.size <= 6) growing.add(ctx.organization_id);
      if (served.size < 9 && growing.has(ctx.organization_id)) emitCustom(ctx, "grows", { object_id: "x", lead_id: null }, {});
    },
  };
  for (const acme of acmes) await acme.inside(async (ctx) => follow(ctx, consumer));
  await Promise.all(acmes.map((acme) => acme.lead()));

  await withWorker(acmes[0]!.service, (worker) => worker.drained(), { does: { works: [], consumers: [consumer], timers: [] } });

  assert.equal(most, 6);
  assert.deepEqual([...served].sort(), acmes.map(({ id }) => id).sort());
});

/** A timer for tests that fires every hour and records when. */
function hourly() {
  const fired: string[] = [];
  const timer = {
    name: `test_${process.pid}_${++kinds}`,
    doc: "A test.",
    everySeconds: 3600,
    run: async (core: { clock(): Date }) => void fired.push(core.clock().toISOString()),
  };
  return { fired, does: { works: [], consumers: [], timers: [timer] } };
}

test("a timer fires once for two workers, and again when its time has come", async () => {
  const acme = await organization();
  const { clock } = acme.service;
  const { fired, does } = hourly();
  clock.now = new Date("2031-03-30T00:30:00Z");

  await withTwoWorkers(
    acme.service,
    async (both) => {
      while (fired.length === 0) await both.drained();
      clock.now = new Date("2031-03-30T01:29:59Z");
      await both.drained();
      clock.now = new Date("2031-03-30T01:30:00Z");
      await both.drained();
    },
    { does },
  );

  assert.deepEqual(fired, ["2031-03-30T00:30:00.000Z", "2031-03-30T01:30:00.000Z"]);
});

test("a worker that began while the database was away fires its timers once it is back", async (t) => {
  const on = await startService();
  const { fired, does } = hourly();
  const failures: Error[] = [];
  // Only the owner may rename a table, and under row-level security the service is not the owner.
  const owner = new pg.Client({ connectionString: on.databaseUrl });
  await owner.connect();
  t.after(async () => {
    await owner.end();
    await on.close();
  });
  const rename = (from: string, to: string) => owner.query(`alter table ${from} rename to ${to}`);
  await rename("timer", "timer_away");

  await withWorker(
    on,
    async (worker) => {
      await worker.drained();
      assert.equal(fired.length, 0);
      await rename("timer_away", "timer");
      await worker.drained();
    },
    { does, failures },
  );

  assert.equal(fired.length, 1);
  assert.match(failures[0]!.message, /timer/);
});

test("a timer that was set by a clock that was years ahead fires once the clock is right again", async () => {
  const acme = await organization();
  const { clock } = acme.service;
  const { fired, does } = hourly();
  const at = async (moment: string) => {
    clock.now = new Date(moment);
    await withWorker(acme.service, (worker) => worker.drained(), { does });
  };

  await at("2036-05-06T10:00:00.000Z");
  await at("2031-05-06T10:00:00.000Z");
  await at("2031-05-06T10:59:59.000Z");

  assert.deepEqual(fired, ["2036-05-06T10:00:00.000Z", "2031-05-06T10:00:00.000Z"]);
});
