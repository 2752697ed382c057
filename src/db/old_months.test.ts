// Events and deliveries are kept for thirty days, and events that somebody still has to read for up to ninety.
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { organization, type Workspace } from "../../test/support/given.ts";
import { type Service, startService } from "../../test/support/service.ts";
import { withWorker } from "../../test/support/worker.ts";
import { partitions } from "../cli/worker.ts";
import { type Consumer, follow } from "../jobs/consumer.ts";
import { newId } from "../values/id.ts";
import { dropOldMonths } from "./old_months.ts";
import { createPartitions } from "./partitions.ts";

const never = { does: { works: [], consumers: [], timers: [] } };

interface Log {
  acme: Workspace;
  /** Moves the clock and makes the service drop old months. Returns the remaining months. */
  on(date: string): Promise<string[]>;
  /** The months that have a table. */
  months(): Promise<string[]>;
  /** A lead made on a day; its event. */
  leadOn(date: string): Promise<any>;
}

// Ids contain their creation time, and a process makes none that is older than its last one, so each test has its own year.
let year = 2070;

/** A service whose log starts in March, with a table for each month up to May. Dates are given without their year. */
async function withLog(work: (log: Log, service: Service) => Promise<void>): Promise<void> {
  const service = await startService();
  const at = (date: string) => (service.clock.now = new Date(`${thisYear}-${date}`));
  const thisYear = ++year;
  try {
    at("03-01T00:00:00.000Z");
    await createPartitions(service.databaseUrl, service.clock.now!);
    const log: Log = {
      acme: await organization(service),
      async on(date) {
        const now = at(date);
        await Promise.all([1, 2].map(() => dropOldMonths(service.databaseUrl, now)));
        return log.months();
      },
      async months() {
        const names = await ask(service, "select relname from pg_class where relname ~ '^event_\\d{4}_\\d\\d$' order by 1");
        return names.map(([name]) => name!.slice(-2));
      },
      async leadOn(date) {
        at(date);
        return log.acme.lead();
      },
    };
    await work(log, service);
  } finally {
    await service.close();
  }
}

async function ask(service: Service, text: string, values: string[] = []): Promise<string[][]> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    return (await client.query({ text, values, rowMode: "array" })).rows;
  } finally {
    await client.end();
  }
}

const kept = async ({ acme }: Log, lead: any): Promise<number> => (await acme.events(lead.id)).length;

test("a month of events is dropped once its last day is thirty days ago, and what came later stays", () =>
  withLog(async (log) => {
    const [march, april] = [await log.leadOn("03-31T23:59:59.999Z"), await log.leadOn("04-01T00:00:00.000Z")];

    const before = await log.on("04-30T23:59:59.999Z");
    const keptBefore = await kept(log, march);
    const after = await log.on("05-01T00:00:00.000Z");

    assert.deepEqual([before, keptBefore], [["03", "04", "05"], 1]);
    assert.deepEqual(after, ["04", "05"]);
    assert.deepEqual([await kept(log, march), await kept(log, april)], [0, 1]);
  }));

test("what a webhook has not come to yet is kept for it, for ninety days and no longer; a paused one keeps nothing", () =>
  withLog(async (log, service) => {
    const url = "https://example.com/hook";
    const hook = await log.acme.post("/webhook/", { url, events: ["lead.created"] });
    await log.leadOn("03-31T12:00:00.000Z");

    // The service itself has read all of it. The webhook's events are after its own place.
    await withWorker(service, (worker) => worker.drained(), { does: { works: [], timers: [] } });

    const waiting = await log.on("06-29T23:59:59.999Z");
    await log.acme.put(`/webhook/${hook.id}/`, { status: "paused" });
    const paused = await log.on("06-29T23:59:59.999Z");

    assert.deepEqual(waiting.includes("03"), true);
    assert.deepEqual(paused.includes("03"), false);
  }));

test("nobody keeps events for longer than ninety days", () =>
  withLog(async (log) => {
    await log.acme.post("/webhook/", { url: "https://example.com/hook", events: ["*"] });
    await log.leadOn("03-31T12:00:00.000Z");

    const before = await log.on("06-29T23:59:59.999Z");
    const after = await log.on("06-30T00:00:00.000Z");

    assert.deepEqual([before.includes("03"), after.includes("03")], [true, false]);
  }));

test("what a consumer of the service has not read is kept, and goes once it has", () =>
  withLog(async (log, service) => {
    const consumer: Consumer = { name: "test", doc: "A test.", async consume() {} };
    await log.acme.inside(async (ctx) => follow(ctx, consumer));
    await log.leadOn("03-31T12:00:00.000Z");

    const unread = await log.on("05-02T00:00:00.000Z");
    await withWorker(service, (worker) => worker.drained(), { does: { ...never.does, consumers: [consumer] } });
    const read = await log.on("05-02T00:00:00.000Z");

    assert.deepEqual([unread.includes("03"), read.includes("03")], [true, false]);
  }));

test("events that lie in no month of their own go as well, in the same time, more than fit into a transaction too", () =>
  withLog(async (log, service) => {
    const quiet = await organization(service);
    // There is no table for August and September.
    const [told, untold] = [await log.leadOn("08-01T00:00:00.000Z"), await quiet.lead()];
    for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 25 }, () => quiet.lead()));
    await log.acme.post("/webhook/", { url: "https://example.com/hook", events: ["*"] });
    await ask(service, "update webhook set cursor_position = 0");
    const late = await log.leadOn("09-01T00:00:00.000Z");
    const counts = async () => [await kept(log, told), (await quiet.events(untold.id)).length, await kept(log, late)];

    await log.on("08-30T23:59:59.999Z");
    const before = await counts();
    await log.on("09-01T00:00:00.000Z");
    const after = await counts();
    await log.on("10-31T00:00:00.000Z");

    assert.deepEqual(before, [1, 1, 1]);
    assert.deepEqual(after, [1, 0, 1]);
    assert.equal((await quiet.get("/event/?_count=exact&_limit=0")).total_results, 0);
    assert.deepEqual(await counts(), [0, 0, 1]);
  }));

test("whoever reads events for long holds nobody up: it is tried again tomorrow, and writes go on meanwhile", () =>
  withLog(async (log, service) => {
    await log.leadOn("03-31T12:00:00.000Z");
    const client = new pg.Client({ connectionString: service.databaseUrl });
    await client.connect();
    await client.query("begin");
    await client.query("select count(*) from event");

    const made = await log.leadOn("05-01T00:00:00.000Z");
    const held = dropOldMonths(service.databaseUrl, service.clock.now!);
    const during = await log.acme.lead();
    const dropped = await held;
    await client.end();
    const then = await log.on("05-02T00:00:00.000Z");

    assert.deepEqual([dropped.filter((name) => name.startsWith("event_")), then.includes("03")], [[], false]);
    assert.deepEqual([await kept(log, made), await kept(log, during)], [1, 1]);
  }));

test("the worker does both every day: it makes the months to come and drops those that are over", () =>
  withLog(async (log, service) => {
    await log.leadOn("03-31T12:00:00.000Z");
    await log.leadOn("05-01T00:00:00.000Z");

    await withWorker(service, (worker) => worker.drained(), {
      does: { ...never.does, timers: [partitions(service.databaseUrl)] },
    });

    assert.deepEqual(await log.months(), ["04", "05", "06", "07"]);
  }));

test("deliveries of webhooks are kept for thirty days", () =>
  withLog(async (log, service) => {
    const hook = await log.acme.post("/webhook/", { url: "https://example.com/hook", events: ["*"] });
    const made = async (date: string) => {
      await log.leadOn(date);
      await ask(
        service,
        `insert into webhook_delivery (organization_id, id, webhook_id, event_id, event, object_id, status, tried_since, date_created, date_updated)
         values ($1, $2, $3, 'ev_1', 'lead.created', 'lead_1', 'succeeded', $4, $4, $4)`,
        [log.acme.id, newId("dlv", service.clock.now!.getTime()), hook.id, service.clock.now!.toISOString()],
      );
    };
    // The last one is in no month of its own.
    for (const date of ["03-31T12:00:00.000Z", "04-01T00:00:00.000Z", "08-01T00:00:00.000Z"]) await made(date);
    const count = async () => (await log.acme.get(`/webhook/${hook.id}/delivery/`)).data.length;

    await log.on("04-30T23:59:59.999Z");
    const before = await count();
    await log.on("05-01T00:00:00.000Z");
    const after = await count();
    await log.on("08-30T00:00:00.000Z");
    const stray = await count();
    await log.on("08-31T00:00:01.000Z");

    assert.deepEqual([before, after, stray, await count()], [3, 2, 1, 0]);
  }));
