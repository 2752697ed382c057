// Two hosts with the API and two with a worker, on one database and one S3, behind a load balancer, as docs/growing.md says. Hosts are
// killed, added and restarted while 16 clients work.
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { withClient } from "../../src/db/one_client.ts";
import { createDatabase } from "../support/database.ts";
import { needProgram, runProgram } from "../support/debian.ts";
import { freePorts } from "../support/free_port.ts";
import { startLoad } from "../support/load.ts";
import { dataDir, hasEnded, lastWords, launch, type Running, start, until } from "../support/processes.ts";
import { receiver } from "../support/receiver.ts";
import { startS3 } from "../support/s3_server.ts";

const haproxy = "/usr/sbin/haproxy";
const key = "the-key-of-many-hosts-and-one-load";
const reports = 30;

const configuration = (port: number, servers: readonly number[]) => `
global
  log stdout format raw daemon notice
defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  option redispatch
  retries 3
frontend crm
  bind 127.0.0.1:${port}
  default_backend api
backend api
  balance roundrobin
  option forwardfor
  option httpchk GET /readyz
  timeout check 2s
  default-server check inter 500ms fastinter 250ms fall 3 rise 1
${servers.map((one) => `  server api${one} 127.0.0.1:${one}`).join("\n")}
`;

let database: Awaited<ReturnType<typeof createDatabase>>;
let s3: Awaited<ReturnType<typeof startS3>>;
let env: Record<string, string>;
let proxy: ReturnType<typeof runProgram> | undefined;
let entrance: string;
let ports: number[];
const hosts = new Map<number, Running>();
const workers: ChildProcess[] = [];

/** A host has folders of its own, and shares nothing but the database, the S3 and the settings. */
async function startHost(port: number, more: Record<string, string> = {}): Promise<void> {
  hosts.set(port, await start({ ...env, PORT: `${port}`, DATA_DIR: dataDir(), ...more }, "api"));
}

/** Resolves when it works. */
async function startWorkerHost(): Promise<void> {
  const worker = launch(["worker"], { ...env, DATA_DIR: dataDir() });
  workers.push(worker);
  await until(() => lastWords(worker).includes("Working") || hasEnded(worker));
}

/** For a failure: what the load balancer and each host have printed. */
function lastWordsOfAll(): string {
  const all: [string, string][] = [
    ["haproxy", proxy?.said().slice(-3000) ?? "not started"],
    ...[...hosts].map(([port, { child }]): [string, string] => [`api at ${port}`, lastWords(child)]),
    ...workers.map((child): [string, string] => [`worker ${child.pid}`, lastWords(child)]),
  ];
  return all.map(([who, words]) => `--- ${who}\n${words}`).join("\n");
}

before(async () => {
  needProgram("haproxy", haproxy);
  [database, s3, ports] = await Promise.all([createDatabase(), startS3(), freePorts(4)]);
  entrance = `http://127.0.0.1:${ports[3]}`;
  const many = Object.fromEntries(["READ", "WRITE", "SEARCH"].map((group) => [`RATE_LIMIT_${group}`, "9000000/10"]));
  env = {
    DATABASE_URL: database.url,
    SECRET_KEY: "one key for all of the hosts there are",
    BASE_URL: entrance,
    TRUST_PROXY: "127.0.0.1",
    OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8",
    BOOTSTRAP_API_KEY: key,
    SHUTDOWN_DELAY_SECONDS: "3",
    RATE_LIMIT_REPORT: `${reports}/600`,
    LOG_LEVEL: "error",
    ...many,
    ...s3.env,
  };
  await startAll().catch((error) => {
    throw new Error(`${error.message}\n${lastWordsOfAll()}`, { cause: error });
  });
});

async function startAll(): Promise<void> {
  const file = join(dataDir(), "haproxy.cfg");
  writeFileSync(file, configuration(ports[3]!, ports.slice(0, 3)));
  await startHost(ports[0]!);
  await startHost(ports[1]!, { WEB_CONCURRENCY: "2" });
  await Promise.all([startWorkerHost(), startWorkerHost()]);
  proxy = runProgram(haproxy, ["-db", "-f", file]);
  await until(async () => (await status(entrance, "/readyz")) === 200 || proxy!.hasEnded());
  await until(async () => (await living()) === 2);
}

afterEach((t) => {
  if ("passed" in t && !t.passed) t.diagnostic(lastWordsOfAll());
});

after(async () => {
  for (const worker of workers) worker.kill("SIGTERM");
  await Promise.all([...hosts.values()].map((host) => host.stop()));
  await proxy?.stop();
  s3?.close();
  await database?.drop();
});

/** Waits until the load balancer has said something, after what it had said at a moment. */
const said = (from: number, text: string) => until(() => proxy!.said().slice(from).includes(text));

const status = (place: string, path: string) =>
  fetch(`${place}${path}`).then(
    (answer) => answer.status,
    () => 0,
  );
const living = async (): Promise<number> => {
  const { rows } = await withClient(database.url, "test", (client) => client.query("select count(*)::int as n from worker"));
  return rows[0].n;
};

async function ask(place: string, method: string, path: string, body?: object | FormData): Promise<any> {
  const isForm = body instanceof FormData;
  const response = await fetch(`${place}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && !isForm && { "content-type": "application/json" }) },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw Object.assign(new Error(`${method} ${path}: ${response.status} ${text}`), { status: response.status });
  return response.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : text;
}

async function policyOf(place: string): Promise<string> {
  const { headers } = await fetch(`${place}/api/v1/me/`, { headers: { authorization: `Bearer ${key}` } });
  return headers.get("ratelimit-policy") ?? "";
}

const at = (host: number) => `http://127.0.0.1:${ports[host]}`;

describe("on several hosts", () => {
  test("one limit holds for all of them together", async () => {
    // Every three seconds they look how many they are.
    await until(async () =>
      (await Promise.all([0, 1].map((host) => policyOf(at(host))))).every((one) => one.includes("q=3000000;")),
    );
    const asked = Array.from({ length: 2 * reports }, () =>
      ask(entrance, "POST", "/report/aggregate/", { object_type: "lead", group_by: ["status_id"] }).then(
        () => 200,
        (error) => error.status as number,
      ),
    );
    const answers = await Promise.all(asked);

    // Who comes to a host whose part is used up is refused, although another has some left.
    const taken = answers.filter((one) => one === 200).length;
    assert.ok(taken <= reports && taken > reports / 2, JSON.stringify(answers));
  });

  test("what one host changes the others know at once: fields, keys that end, files", async () => {
    const field = await ask(at(0), "POST", "/custom_field/lead/", { name: "Fleet", type: "number" });
    const used = () => ask(at(1), "POST", "/lead/", { name: "Acme", [`custom.${field.id}`]: 7 });
    await until(() => used().then(Boolean, () => false));

    const form = new FormData();
    form.set("file", new Blob(["Our offer"], { type: "text/plain" }), "offer.txt");
    const file = await ask(at(0), "POST", "/file/", form);
    assert.equal(await ask(at(1), "GET", `/file/${file.id}/download/`), "Our offer");
    assert.ok(s3.objects.size > 0);
  });

  test("a stream on one host has what was written on the other", async () => {
    const stream = await fetch(`${at(0)}/api/v1/event/stream/?event=lead.created`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    let heard = (await reader.read()).value ?? "";

    const { id } = await ask(at(1), "POST", "/lead/", { name: "Heard elsewhere" });
    while (!heard.includes(id)) heard += (await reader.read()).value ?? assert.fail("the stream ended");
    await reader.cancel();
  });

  test("each event is delivered, however many workers there are", async () => {
    const hook = await receiver();
    await ask(entrance, "POST", "/webhook/", { url: hook.url, events: [{ object_type: "lead", action: "created" }] });

    const leads = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(entrance, "POST", "/lead/", { name: `Lead ${i}` })));

    await until(() => new Set(hook.objects()).size >= leads.length);
    assert.deepEqual(new Set(hook.objects()), new Set(leads.map(({ id }) => id)));
    hook.close();
  });

  test("a killed host is noticed within five seconds, one more takes its place and does what it was doing, and all are restarted, one after the other, without a failed request; what is due by the clock is done once, whoever is there", async (t) => {
    const load = startLoad(() => entrance, key);
    await load.answered(100);
    const meetings = [await meetingSoon()];
    const job = await jobOfTheFirstWorker();

    const [killedAt, killedSaid] = [Date.now(), proxy!.said().length];
    hosts.get(ports[0]!)!.child.kill("SIGKILL");
    workers[0]!.kill("SIGKILL");
    hosts.delete(ports[0]!);
    await said(killedSaid, `api${ports[0]} is DOWN`);
    const noticedMs = Date.now() - killedAt;
    await job.claimExpires();
    // Requests that were under way on it are lost with it; later ones are not.
    const { failures: lost } = await load.end();
    t.diagnostic(`noticed after ${noticedMs} ms; ${lost.length} requests were lost with the host`);

    const going = startLoad(() => entrance, key);
    meetings.push(await meetingSoon());
    await Promise.all([startHost(ports[2]!), startWorkerHost()]);
    await said(killedSaid, `api${ports[2]} is UP`);
    await going.answered(100);
    for (const port of [ports[1]!, ports[2]!]) {
      const before = proxy!.said().length;
      assert.equal(await hosts.get(port)!.stop(), 0);
      await startHost(port);
      await said(before, `api${port} is UP`);
    }
    // From here on, no host is left that was there at the beginning.
    workers[2]!.kill("SIGTERM");
    await once(workers[2]!, "exit");
    meetings.push(await meetingSoon());
    await startWorkerHost();
    await going.answered(100);
    await job.isDone();
    await until(async () => (await startsOf(meetings)).length >= meetings.length);
    const { failures, requests, repeated, created } = await going.end();
    t.diagnostic(`${requests} requests over a rolling restart, ${repeated} of them asked twice`);

    assert.ok(noticedMs < 5000, `${noticedMs}`);
    assert.ok(lost.length <= 16, lost.join("\n"));
    assert.deepEqual(failures, []);
    assert.deepEqual((await startsOf(meetings)).sort(), meetings.sort(), "each began once");
    const [first, again] = job.told;
    assert.deepEqual([job.told.length, first], [2, again], "once by the killed worker, which could not note it, and once more");
    assert.deepEqual(await job.deliveries(), ["succeeded"]);
    const { rows } = await withClient(database.url, "test", (client) =>
      client.query("select count(*)::int as n from lead where id = any($1)", [created]),
    );
    assert.equal(rows[0].n, created.length);
  });
});

/** A meeting that a timer begins in a moment. */
async function meetingSoon(): Promise<string> {
  const { id: lead_id } = await ask(entrance, "POST", "/lead/", { name: "Whom we meet" });
  const starts_at = new Date(Date.now() + 1500).toISOString();
  return (await ask(entrance, "POST", "/activity/meeting/", { lead_id, title: "Demo", starts_at })).id;
}

/** The meetings whose beginning was told, each as often as it was told. */
async function startsOf(meetings: readonly string[]): Promise<string[]> {
  const { rows } = await withClient(database.url, "test", (client) =>
    client.query("select object_id from event where object_id = any($1) and action = 'started'", [meetings]),
  );
  return rows.map(({ object_id }) => object_id);
}

/** A delivery that the first worker has under way, and no other: they are there before and after. Its receiver does not answer yet. */
async function jobOfTheFirstWorker() {
  workers[1]!.kill("SIGTERM");
  await once(workers[1]!, "exit");
  const told: string[] = [];
  const hook = await receiver(({ headers }, response) => {
    told.push(headers["webhook-id"]!);
    if (told.length > 1) response.writeHead(200).end();
  });
  const { id } = await ask(entrance, "POST", "/webhook/", { url: hook.url, events: ["lead_tag.created"] });
  await ask(entrance, "POST", "/lead_tag/", { name: "Of the killed worker" });
  await until(() => told.length === 1);
  await startWorkerHost();
  const jobs = (set: string) =>
    withClient(database.url, "test", (client) => client.query(`${set} where kind = 'webhook' and object_id = $1`, [id]));
  const deliveries = async (): Promise<string[]> =>
    (await ask(entrance, "GET", `/webhook/${id}/delivery/`)).data.map((one: any) => one.status);
  return {
    told,
    deliveries,
    /** As if the minute of the dead worker's claim had gone by. */
    claimExpires: () => jobs("update job set claimed_until = now()"),
    isDone: () => until(async () => (await jobs("select from job")).rowCount === 0 && (await deliveries())[0] === "succeeded"),
  };
}
