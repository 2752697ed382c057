import assert from "node:assert/strict";
import net from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { operation, type RateGroup } from "../core/operation.ts";
import { goodKey, listen } from "./testing.ts";

/** Operations that wait until the test releases them. */
function held() {
  const waiting: (() => void)[] = [];
  let atWork = 0;
  let most = 0;
  const of = (name: string, group: RateGroup) =>
    operation({
      name,
      method: "GET",
      path: `/${name}/`,
      doc: "Waits.",
      permission: "member",
      group,
      input: {},
      output: z.looseObject({}),
      run: async () => {
        most = Math.max(most, ++atWork);
        await new Promise<void>((resolve) => waiting.push(resolve));
        atWork--;
        return {};
      },
    });
  return {
    operations: [of("slow", "read"), of("heavy", "report"), of("think", "ai")],
    letGo: () => waiting.splice(0).forEach((resolve) => resolve()),
    get atWork() {
      return atWork;
    },
    get most() {
      return most;
    },
  };
}

const until = async (holds: () => boolean) => {
  for (let i = 0; i < 1000 && !holds(); i++) await sleep(10);
  assert.ok(holds(), holds.toString());
};

test("no more work at once than there are places; the rest waits its turn", async (t) => {
  const work = held();
  const { ask, server } = await listen(t, { operations: work.operations, gate: { running: 2, budgetMs: 20_000 } });

  const answers = Promise.all(Array.from({ length: 5 }, () => ask("GET /api/v1/slow/")));
  await until(() => server.service.gate.counts.waiting === 3);
  assert.equal(work.atWork, 2);
  const letting = setInterval(work.letGo, 10);

  assert.deepEqual(
    (await answers).map(({ status }) => status),
    [200, 200, 200, 200, 200],
  );
  clearInterval(letting);
  assert.equal(work.most, 2);
  assert.deepEqual(server.service.gate.counts, { running: 0, waiting: 0 });
});

test("who waits too long, or finds the queue full, is sent away with the time to come back", async (t) => {
  const work = held();
  const { ask, server } = await listen(t, { operations: work.operations, gate: { running: 1, waiting: 1, budgetMs: 1500 } });
  const first = ask("GET /api/v1/slow/");
  await until(() => work.atWork === 1);
  const waits = ask("GET /api/v1/slow/");
  await until(() => server.service.gate.counts.waiting === 1);

  const full = await ask("GET /api/v1/slow/");
  assert.equal(work.atWork, 1, "the second still waits");
  for (const answer of [full, await waits]) {
    assert.equal(answer.status, 503);
    assert.equal(answer.headers["retry-after"], "1");
    assert.deepEqual(answer.json, { error: "Service unavailable", "field-errors": {} });
  }
  work.letGo();
  assert.equal((await first).status, 200);
});

test("health is answered when everything is taken", async (t) => {
  const work = held();
  const { ask } = await listen(t, { operations: work.operations, gate: { running: 1, waiting: 0 } });
  const first = ask("GET /api/v1/slow/");
  await until(() => work.atWork === 1);

  assert.equal((await ask("GET /api/v1/slow/")).status, 503);
  assert.equal((await ask("GET /healthz", { key: null })).status, 200);
  assert.equal((await ask("GET /metrics", { key: null })).status, 200);
  work.letGo();
  await first;
});

test("reports and searches leave room for the rest", async (t) => {
  const work = held();
  const { ask, server } = await listen(t, { operations: work.operations, gate: { running: 3, heavy: 1, budgetMs: 20_000 } });
  const heavy = [ask("GET /api/v1/heavy/"), ask("GET /api/v1/heavy/")];
  await until(() => server.service.gate.counts.waiting === 1);

  const light = ask("GET /api/v1/slow/");
  await until(() => work.atWork === 2);
  const letting = setInterval(work.letGo, 10);

  assert.equal((await light).status, 200);
  assert.deepEqual(
    (await Promise.all(heavy)).map(({ status }) => status),
    [200, 200],
  );
  clearInterval(letting);
});

test("nothing is done for who went away while waiting", async (t) => {
  const work = held();
  const { ask, server, port } = await listen(t, { operations: work.operations, gate: { running: 1, budgetMs: 20_000 } });
  const first = ask("GET /api/v1/slow/");
  await until(() => work.atWork === 1);
  const socket = net.connect(port, "127.0.0.1");
  socket.write(`GET /api/v1/slow/ HTTP/1.1\r\nhost: x\r\nauthorization: ${goodKey}\r\n\r\n`);
  await until(() => server.service.gate.counts.waiting === 1);

  socket.destroy();
  await until(() => server.service.sockets.size === 1);
  work.letGo();
  await first;
  await until(() => server.service.gate.counts.waiting === 0);

  assert.deepEqual(server.service.gate.counts, { running: 0, waiting: 0 });
  assert.equal(work.atWork, 0);
});

test("work that never ends is answered 503 and gives its place back; a model may think longer", async (t) => {
  const work = held();
  const { ask, server } = await listen(t, { operations: work.operations, gate: { deadlineSeconds: 1, aiDeadlineSeconds: 60 } });
  const began = performance.now();

  const [slow, think] = [ask("GET /api/v1/slow/"), ask("GET /api/v1/think/")];

  assert.equal((await slow).status, 503);
  assert.deepEqual(server.service.gate.counts, { running: 1, waiting: 0 });
  work.letGo();
  assert.equal((await think).status, 200);
  assert.ok(performance.now() - began > 1000);
});

test("while the event loop lags newcomers are sent away before anything is done for them", async (t) => {
  let asked = 0;
  const work = held();
  const { ask, server } = await listen(t, {
    operations: work.operations,
    gate: { loopDelayMs: 50 },
    authenticate: () => {
      asked++;
      throw new Error("not to be asked");
    },
  });

  const blocking = setInterval(() => {
    const end = performance.now() + 120;
    while (performance.now() < end);
  }, 1);
  await until(() => server.service.gate.overloaded);
  const answer = await ask("GET /api/v1/slow/");
  assert.equal(answer.status, 503);
  assert.equal(asked, 0);
  assert.equal((await ask("GET /healthz", { key: null })).status, 200);
  clearInterval(blocking);

  await until(() => !server.service.gate.overloaded);
});

test("work that waits for another service leaves its place, a heavy one too", async (t) => {
  const work = held();
  const [slow, heavy, think] = work.operations;
  const thinks: typeof think = { ...think!, run: async (ctx, input) => (ctx.asker?.stepOut(), think!.run(ctx, input)) };
  const { ask, server } = await listen(t, {
    operations: [slow!, heavy!, thinks!],
    gate: { running: 1, heavy: 1, budgetMs: 20_000 },
  });

  const answers = ["think", "think", "heavy"].map((path) => ask(`GET /api/v1/${path}/`));
  await until(() => work.atWork === 3);
  work.letGo();

  assert.deepEqual(
    (await Promise.all(answers)).map(({ status }) => status),
    [200, 200, 200],
  );
  assert.deepEqual(server.service.gate.counts, { running: 0, waiting: 0 });
});
