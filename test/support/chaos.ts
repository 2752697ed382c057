// Kills workers at random while organizations are busy and receivers of all kinds get their events. The clock runs faster than
// the real one, so that claims expire and retries happen during the test.
import { setTimeout as sleep } from "node:timers/promises";
import { organization, type Workspace } from "./given.ts";
import { type Answers, type Receiver, receiver } from "./receiver.ts";
import { type Service, startService } from "./service.ts";
import { withWorker } from "./worker.ts";
import { startWorker, type WorkerProcess } from "./worker_process.ts";

export interface Killing {
  kills: number;
  /** The least time in which organizations are busy and workers are killed. */
  seconds: number;
  /** Called in the middle. */
  inTheMiddle?: () => Promise<void>;
}

export interface ChaosOptions extends Killing {
  /** How many clients write at the same time in each of two organizations. */
  writers: number;
}

export interface Outcome {
  kills: number;
  events: number;
  delivered: number;
  /** How many of them were delivered more than once. */
  again: number;
  lost: string[];
  disordered: string[];
  /** Jobs that are left, and webhooks that were disabled. */
  stuck: string[];
  /** The longest time until other workers did the work of the killed ones, after the last kill. In seconds of their clock. */
  secondsToResume: number;
}

/** Clock seconds per real second: a claim of a minute expires during the test, and a turn still fits into it. */
const rate = 5;

/** Answers only sometimes. Otherwise it sends an error or closes the connection. */
function moody(): Answers {
  let count = 0;
  return (_received, response) => {
    const mood = ++count % 5;
    if (mood === 1) return void response.writeHead(500).end("not now");
    if (mood === 2) return void response.destroy();
    response.writeHead(200).end();
  };
}

/** Two workers whose clock runs faster, one of which is killed again and again while `busy` is at work. */
export interface Chaos {
  service: Service;
  /** Calls `busy` with a function that says whether to go on, and returns the workers that are left. */
  kill(busy: (isBusy: () => boolean) => Promise<unknown>): Promise<WorkerProcess[]>;
  /** From then on the clock stands still. */
  stopClock(): void;
}

export async function inChaos<T>({ kills, seconds, inTheMiddle }: Killing, work: (chaos: Chaos) => Promise<T>): Promise<T> {
  const service = await startService({ env: { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8" } });
  const clock = { at: Date.now(), real: Date.now(), rate };
  const now = () => new Date(clock.at + (Date.now() - clock.real) * rate);
  const ticking = setInterval(() => (service.clock.now = now()), 5);
  service.clock.now = now();
  const start = () => startWorker({ databaseUrl: service.databaseUrl, outboundAllowCidrs: ["127.0.0.0/8"], clock });
  let workers: WorkerProcess[] = [];
  const kill: Chaos["kill"] = async (busy) => {
    workers = await Promise.all([start(), start()]);
    let isBusy = true;
    const working = busy(() => isBusy);
    for (let i = 0; i < kills; i++) {
      await sleep((seconds * 1000) / kills);
      const victim = i % 2;
      workers[victim]!.kill("SIGKILL");
      await workers[victim]!.ended;
      workers[victim] = await start();
      if (i === Math.floor(kills / 2)) await inTheMiddle?.();
    }
    isBusy = false;
    await working;
    return workers;
  };
  try {
    return await work({ service, kill, stopClock: () => clearInterval(ticking) });
  } finally {
    clearInterval(ticking);
    await Promise.all(workers.map((one) => one.stop()));
    await service.close();
  }
}

export async function chaos({ writers, ...killing }: ChaosOptions): Promise<Outcome> {
  const receivers: Receiver[] = [];
  return inChaos(killing, async ({ service, kill, stopClock }) => {
    const parts = await Promise.all([subscribed(service, receivers), subscribed(service, receivers)]);
    const writing = (isBusy: () => boolean) =>
      Promise.all(parts.flatMap((part) => Array.from({ length: writers }, () => write(part.ws, isBusy))));
    const workers = await kill(writing);
    const waited = await drain(service, parts, workers, stopClock);
    return { kills: killing.kills, ...waited, ...(await compare(parts)), stuck: await stuckJobs(service, parts) };
  }).finally(() => receivers.forEach((one) => one.close()));
}

interface Part {
  ws: Workspace;
  plain: Receiver;
  ordered: Receiver;
  moody: Receiver;
}

async function subscribed(service: Service, receivers: Receiver[]): Promise<Part> {
  const ws = await organization(service);
  const [plain, ordered, unsteady] = await Promise.all([receiver(), receiver(), receiver(moody())]);
  receivers.push(plain, ordered, unsteady);
  const events = ["lead.*"];
  await ws.post("/webhook/", { url: plain.url, events });
  await ws.post("/webhook/", { url: ordered.url, events, ordering: "object" });
  await ws.post("/webhook/", { url: unsteady.url, events });
  return { ws, plain, ordered, moody: unsteady };
}

/** Creates leads and updates each a few times. Requests refused while the database is away are retried. */
async function write(ws: Workspace, isBusy: () => boolean): Promise<void> {
  while (isBusy()) {
    const made = await ws.ask("POST", "/lead/", { body: { name: "Acme" } }).catch(() => null);
    if (made?.status !== 201) {
      await sleep(100);
      continue;
    }
    for (let i = 0; i < 3; i++) await ws.ask("PUT", `/lead/${made.body.id}/`, { body: { name: `Acme ${i}` } }).catch(() => null);
    await sleep(20);
  }
}

/** For so long a delivery is retried, with pauses of up to twelve hours in the end. */
const hoursTried = 73;

/** The workers get a minute of their clock for work in progress. Moving the clock makes later retries due. */
async function drain(
  service: Service,
  parts: readonly Part[],
  workers: readonly WorkerProcess[],
  stopClock: () => void,
): Promise<{ secondsToResume: number }> {
  const began = Date.now();
  const isUnderWay = async () => (await stuckJobs(service, parts)).some((one) => !one.includes("scheduled"));
  while ((await isUnderWay()) && Date.now() - began < 60_000) await sleep(50);
  const secondsToResume = ((Date.now() - began) / 1000) * rate;
  await Promise.all(workers.map((one) => one.stop()));
  stopClock();
  await withWorker(service, async (worker) => {
    for (let quarters = 0; quarters < 4 * hoursTried; quarters++) {
      await worker.drained();
      if ((await stuckJobs(service, parts)).length === 0) return;
      service.clock.now = new Date(service.clock.now!.getTime() + 15 * 60_000);
    }
  });
  return { secondsToResume };
}

async function stuckJobs({ app }: Service, parts: readonly Part[]): Promise<string[]> {
  const rows = await Promise.all(
    parts.map(({ ws }) =>
      app.db.query(ws.id, {
        text: `select concat_ws(' ', kind, object_id, state, due_at, latest_error) from job where organization_id = $1
               union all select concat_ws(' ', id, status, pause_reason) from webhook where organization_id = $1 and status <> 'active'`,
        values: [ws.id],
      }),
    ),
  );
  return rows.flat().map((row) => row[0]!);
}

/** The events of leads in the order of the feed. */
async function eventsOf({ ws }: Part): Promise<{ id: string; object_id: string }[]> {
  const rows = await ws.service.app.db.query(ws.id, {
    text: "select id, object_id from event where organization_id = $1 and object_type = 'lead' order by epoch, position, seq",
    values: [ws.id],
  });
  return rows.map(([id, object_id]) => ({ id: id!, object_id: object_id! }));
}

const idsOf = (one: Receiver) => one.received.map(({ body }) => body.event.id as string);

async function lostOf(parts: readonly Part[]): Promise<string[]> {
  const lost = await Promise.all(
    parts.map(async (part) => {
      const events = await eventsOf(part);
      return [part.plain, part.ordered, part.moody].flatMap((one) => {
        const got = new Set(idsOf(one));
        return events.filter(({ id }) => !got.has(id)).map(({ id }) => `${one.url} ${id}`);
      });
    }),
  );
  return lost.flat();
}

async function compare(parts: readonly Part[]): Promise<Omit<Outcome, "kills" | "stuck" | "secondsToResume">> {
  const all = parts.flatMap((part) => [part.plain, part.ordered, part.moody]);
  const delivered = all.reduce((sum, one) => sum + one.received.length, 0);
  const distinct = all.reduce((sum, one) => sum + new Set(idsOf(one)).size, 0);
  const disordered = await Promise.all(parts.map(disorderOf));
  const events = await Promise.all(parts.map(eventsOf));
  return {
    events: events.flat().length,
    delivered,
    again: delivered - distinct,
    lost: await lostOf(parts),
    disordered: disordered.flat(),
  };
}

/** For each object, first deliveries must be in the order of the feed. Repeated deliveries may be late. */
async function disorderOf(part: Part): Promise<string[]> {
  const place = new Map((await eventsOf(part)).map(({ id }, i) => [id, i]));
  const seen = new Set<string>();
  const first = part.ordered.received.map(({ body }) => body.event).filter(({ id }) => !seen.has(id) && seen.add(id));
  const last = new Map<string, number>();
  return first.flatMap((event) => {
    const at = place.get(event.id) ?? -1;
    const isLate = at < (last.get(event.object_id) ?? -1);
    last.set(event.object_id, at);
    return isLate ? [`${event.object_id} ${event.id}`] : [];
  });
}
