// `kill -9` under load: acknowledged writes are there, others are complete or absent, and the next start needs no repair.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { portOf } from "../support/listening.ts";
import { main } from "../support/processes.ts";

const key = "crash_test_key_0123456789_abcdef";

class Headwater {
  readonly dataDir = mkdtempSync(join(tmpdir(), "headwater-crash-"));
  private port = 0;
  private child: ChildProcess | null = null;

  async start(): Promise<void> {
    chmodSync(this.dataDir, 0o711);
    const env = {
      ...process.env,
      DATABASE_URL: "",
      DATABASE_RLS: "",
      DATA_DIR: this.dataDir,
      PORT: "0",
      BOOTSTRAP_API_KEY: key,
      RATE_LIMIT: "off",
      LOG_LEVEL: "warn",
    };
    this.child = spawn(process.execPath, [main, "start"], { env, stdio: ["ignore", "pipe", "inherit"] });
    this.port = await portOf(this.child);
    assert.equal((await this.ask("GET", "/me/")).status, 200);
  }

  /** Kills only the service. Its database keeps running until the next start takes it over. */
  async kill(): Promise<void> {
    this.child!.kill("SIGKILL");
    await once(this.child!, "exit");
  }

  killDatabase(): void {
    const place = existsSync(join(this.dataDir, "postgres.path"))
      ? readFileSync(join(this.dataDir, "postgres.path"), "utf8").trim()
      : join(this.dataDir, "postgres");
    process.kill(Number(readFileSync(join(place, "postmaster.pid"), "utf8").split("\n")[0]), "SIGKILL");
  }

  async stop(): Promise<void> {
    this.child?.kill("SIGINT");
    if (this.child?.exitCode === null && this.child.signalCode === null) await once(this.child, "exit");
    const elsewhere = join(this.dataDir, "postgres.path");
    if (existsSync(elsewhere)) rmSync(dirname(readFileSync(elsewhere, "utf8").trim()), { recursive: true, force: true });
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  async ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }> {
    const headers = { authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}`, "content-type": "application/json" };
    const response = await fetch(`http://127.0.0.1:${this.port}/api/v1${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });
    return { status: response.status, body: await response.json() };
  }
}

interface History {
  acknowledged: string[];
  merges: { source: string; destination: string; children: string[]; acknowledged: boolean }[];
  refusals: Set<number>;
}

/** Creates and merges until told to stop. Requests that are cut off are neither acknowledged nor refused. */
async function load(service: Headwater, history: History, until: () => boolean): Promise<void> {
  const worker = async (): Promise<void> => {
    while (!until()) {
      try {
        const made = await service.ask("POST", "/lead/", { name: "Acme", contacts: [{ name: "One" }, { name: "Two" }] });
        if (made.status !== 201) {
          history.refusals.add(made.status);
          await sleep(20);
          continue;
        }
        history.acknowledged.push(made.body.id);
        await mergeOne(service, history, made.body.id);
      } catch {
        await sleep(20);
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

async function mergeOne(service: Headwater, history: History, source: string): Promise<void> {
  const destination = await service.ask("POST", "/lead/", { name: "Keep" });
  if (destination.status !== 201) return void history.refusals.add(destination.status);
  const children = await service.ask("GET", `/contact/?lead_id=${source}&_fields=id`);
  if (children.status !== 200) return void history.refusals.add(children.status);
  const merge = {
    source,
    destination: destination.body.id,
    children: children.body.data.map((one: any) => one.id),
    acknowledged: false,
  };
  history.merges.push(merge);
  const answer = await service.ask("POST", "/lead/merge/", { source, destination: merge.destination });
  merge.acknowledged = answer.status === 200;
}

/** However slow the machine is, the kill comes while acknowledged work is going on. */
async function enough(history: History, count: number): Promise<void> {
  for (let i = 0; i < 3000 && history.acknowledged.length < count; i++) await sleep(20);
  assert.ok(history.acknowledged.length >= count, `${history.acknowledged.length} creates were acknowledged`);
}

/** No acknowledged write is missing, no merge is half done, every created event is there once. */
async function check(service: Headwater, { acknowledged, merges }: History): Promise<void> {
  const merged = new Map(merges.map((merge) => [merge.source, merge]));
  for (const id of acknowledged) {
    const { status } = await service.ask("GET", `/lead/${id}/`);
    if (!merged.has(id)) assert.equal(status, 200, `${id} was acknowledged`);
    const events = (await service.ask("GET", `/event/?object_id=${id}&action=created`)).body.data;
    assert.equal(events.length, 1, `${id} has one created event`);
  }
  for (const { source, destination, children, acknowledged: done } of merges) {
    const gone = (await service.ask("GET", `/lead/${source}/`)).status === 404;
    if (done) assert.ok(gone, "an acknowledged merge is done");
    for (const child of children) {
      const contact = await service.ask("GET", `/contact/${child}/`);
      assert.equal(contact.body.lead_id, gone ? destination : source, "a merge is whole or has not happened");
    }
  }
}

test("a service killed under load loses nothing it acknowledged, and the next start needs no hand", async () => {
  const service = new Headwater();
  const history: History = { acknowledged: [], merges: [], refusals: new Set() };
  try {
    await service.start();
    for (let round = 0; round < 2; round++) {
      let stop = false;
      const loading = load(service, history, () => stop);
      await enough(history, 15 * (round + 1));
      await service.kill();
      stop = true;
      await loading;
      await service.start();
    }

    await check(service, history);
  } finally {
    await service.stop();
  }
});

test("a database killed under load is back by itself, refuses meanwhile with 503, and has lost nothing", async () => {
  const service = new Headwater();
  const history: History = { acknowledged: [], merges: [], refusals: new Set() };
  try {
    await service.start();
    let stop = false;
    const loading = load(service, history, () => stop);
    await enough(history, 15);
    service.killDatabase();
    await sleep(500);
    let recovered = false;
    for (let i = 0; i < 1200 && !recovered; i++) {
      recovered = (await service.ask("POST", "/lead/", {}).catch(() => null))?.status === 201;
      if (!recovered) await sleep(50);
    }
    await sleep(300);
    stop = true;
    await loading;

    assert.ok(recovered, "it takes writes again");
    for (const status of history.refusals) assert.equal(status, 503);
    await check(service, history);
  } finally {
    await service.stop();
  }
});
