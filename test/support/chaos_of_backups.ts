// Kills backups and restores at random, as the commands that an operator runs, while clients write. After each kill the archive is there as a
// whole or not at all, the database is empty or has everything, the same command then works, and everything is there that was acknowledged
// before the backup began.
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createDatabase } from "./database.ts";
import { organization, type Workspace } from "./given.ts";
import { dataDir, type Ended, launch } from "./processes.ts";
import { startService, testSecretKey } from "./service.ts";

export interface OutcomeOfBackups {
  /** Of backups and of restores; those that had ended before are none. */
  kills: { backup: number; restore: number };
  acknowledged: number;
  restored: number;
  wrong: string[];
  stuck: string[];
}

interface Acknowledged {
  leads: string[];
  /** With their contents. */
  files: [id: string, content: string][];
}

interface Run extends OutcomeOfBackups {
  ws: Workspace;
  written: Acknowledged;
  env: Record<string, string>;
  /** How long the commands take undisturbed, in milliseconds. */
  takes: { backup: number; restore: number };
}

const startRows = 3000;
const longestMs = 180_000;

export async function chaosOfBackups(kills: number): Promise<OutcomeOfBackups> {
  const folder = dataDir();
  const service = await startService({ filesDir: join(folder, "files") });
  const ws = await organization(service);
  const env = { DATABASE_URL: service.databaseUrl, DATA_DIR: folder, SECRET_KEY: testSecretKey };
  const written: Acknowledged = { leads: [], files: [] };
  const counts = { kills: { backup: 0, restore: 0 }, acknowledged: 0, restored: 0, wrong: [], stuck: [] };
  const run: Run = { ...counts, ws, written, env, takes: { backup: 4000, restore: 6000 } };
  await fill(ws);
  let isBusy = true;
  const writing = Promise.all([write(ws, written, () => isBusy), write(ws, written, () => isBusy)]);
  try {
    // The first round is not disturbed: it measures how long the commands take.
    for (let i = 0; i <= kills; i++) await round(run, i);
  } finally {
    isBusy = false;
    await writing;
    await service.close();
  }
  const { wrong, stuck, restored } = run;
  return { kills: run.kills, acknowledged: written.leads.length + written.files.length, restored, wrong, stuck };
}

/** So that the commands take a moment. */
async function fill(ws: Workspace): Promise<void> {
  const rows = Array.from({ length: startRows }, (_, i) => ({ name: `Acme ${i}`, description: "x".repeat(500) }));
  for (let from = 0; from < rows.length; from += 50)
    await Promise.all(rows.slice(from, from + 50).map((one) => ws.ask("POST", "/lead/", { body: one })));
}

async function write(ws: Workspace, written: Acknowledged, isBusy: () => boolean): Promise<void> {
  while (isBusy()) {
    const lead = await ws.ask("POST", "/lead/", { body: { name: "Acknowledged" } }).catch(() => null);
    if (lead?.status === 201) written.leads.push(lead.body.id);
    const content = `the file number ${written.files.length}`;
    const body = { name: "a.txt", content_base64: Buffer.from(content).toString("base64") };
    const file = await ws.ask("POST", "/file/", { body }).catch(() => null);
    if (file?.status === 201) written.files.push([file.body.id, content]);
    await sleep(100);
  }
}

async function round(run: Run, i: number): Promise<void> {
  const archive = join(dataDir(), "all.tar");
  if (i % 2 === 1) await killed(run, "backup", archive, run.env, () => checkHalf(run, archive));
  const before = { leads: [...run.written.leads], files: [...run.written.files] };
  if (!existsSync(archive) && !(await done(run, ["backup", archive], run.env))) return;
  const database = await createDatabase();
  const to = { ...run.env, DATABASE_URL: database.url, DATA_DIR: dataDir() };
  try {
    if (i % 2 === 0 && i > 0) await killed(run, "restore", archive, to, () => checkEmptyOrWhole(run, database.url, before));
    const isThere = (await countOf(database.url, "organization")) > 0;
    if (!isThere && !(await done(run, ["restore", archive], to))) return;
    run.restored++;
    await checkThere(run, database.url, before, to.DATA_DIR);
  } finally {
    await database.drop();
  }
}

async function done(run: Run, args: string[], env: Record<string, string>): Promise<boolean> {
  const began = performance.now();
  const ended = await ending(launch(args, env));
  if (ended.code === 0) run.takes[args[0] as "backup" | "restore"] = performance.now() - began;
  else run.stuck.push(`${args[0]} ended with ${ended.code}: ${ended.err.slice(-500)}`);
  return ended.code === 0;
}

async function ending(child: ReturnType<typeof launch>): Promise<Ended> {
  let err = "";
  child.stderr!.on("data", (text) => (err += text));
  const late = setTimeout(() => child.kill("SIGKILL"), longestMs);
  const [code] = await once(child, "close");
  clearTimeout(late);
  return { code, out: "", err };
}

/** Kills it at a moment of the time that it takes. */
async function killed(
  run: Run,
  command: "backup" | "restore",
  archive: string,
  env: Record<string, string>,
  check: () => Promise<void>,
): Promise<void> {
  const child = launch([command, archive], env);
  const ended = once(child, "close");
  await Promise.race([ended, sleep(Math.random() * run.takes[command])]);
  if (child.exitCode === null) run.kills[command]++;
  child.kill("SIGKILL");
  await ended;
  await check();
}

// --- what must hold ---

async function checkHalf(run: Run, archive: string): Promise<void> {
  if (!existsSync(archive)) return;
  const { code, err } = await ending(launch(["verify", archive], run.env));
  if (code !== 0) run.wrong.push(`half of an archive has the name of a whole one: ${err.slice(-300)}`);
}

async function checkEmptyOrWhole(run: Run, url: string, before: Acknowledged): Promise<void> {
  const [organizations, leads] = [await countOf(url, "organization"), await countOf(url, "lead")];
  const isEmpty = organizations === 0 && leads === 0;
  if (!isEmpty && leads < before.leads.length)
    run.wrong.push(`a killed restore left ${organizations} organizations, ${leads} leads`);
}

async function checkThere(run: Run, url: string, before: Acknowledged, folder: string): Promise<void> {
  const missing = async (table: string, ids: readonly string[]) =>
    (
      await withClient(url, (client) =>
        client.query(
          `/* a test */ select id from unnest($1::text[]) id where not exists (select from ${table} t where t.id = id)`,
          [ids],
        ),
      )
    ).rows.map(({ id }) => `${table} ${id} was acknowledged and is not there`);
  run.wrong.push(...(await missing("lead", before.leads)));
  run.wrong.push(
    ...(await missing(
      "file",
      before.files.map(([id]) => id),
    )),
  );
  const sample = before.files.filter((_, i) => i % Math.ceil(before.files.length / 20) === 0);
  const there = await startService({ databaseUrl: url, filesDir: join(folder, "files"), env: {} });
  try {
    for (const [id, content] of sample) {
      const headers = { authorization: `Bearer ${run.ws.key}` };
      const answer = await fetch(`${there.url}/api/v1/file/${id}/download/`, { headers });
      if ((await answer.text()) !== content) run.wrong.push(`file ${id} has other bytes (${answer.status})`);
    }
  } finally {
    await there.close();
  }
}

const countOf = async (url: string, table: string): Promise<number> =>
  (await withClient(url, (client) => client.query(`/* a test */ select count(*)::int as n from ${table}`))).rows[0].n;

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
