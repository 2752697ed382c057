// `npm run chaos`: kills at random, where `test/reliability/*_killed.test.ts` kill at named places. It runs two workers, 25 kills,
// PostgreSQL killed in the middle, and receivers of all kinds, with row-level security unless DATABASE_RLS=off; then the same with
// mail, texts, sequences and automations, and with bulk edits, deletions and mails, imports, exports and pushes. It prints the results.
// Last, it kills backups and restores while clients write. `CHAOS_PARTS=many` runs some of `feed`, `messages`, `many` and `backup`.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbedded } from "../src/db/embedded/index.ts";

const kills = Number(process.env.CHAOS_KILLS ?? 25);
const seconds = Number(process.env.CHAOS_SECONDS ?? 60);
process.env.DATABASE_RLS ??= "on";

const dataDir = mkdtempSync(join(tmpdir(), "headwater-chaos-"));
chmodSync(dataDir, 0o711);
const server = await startEmbedded({ dataDir, settings: { max_connections: "200" } });
process.env.TEST_DATABASE_URL = server.url;
// Imported after the database address is set.
const { chaos } = await import("../test/support/chaos.ts");
const { chaosOfBackups } = await import("../test/support/chaos_of_backups.ts");
const { chaosOfMany } = await import("../test/support/chaos_of_many.ts");
const { chaosOfMessages } = await import("../test/support/chaos_of_messages.ts");

/** Kills PostgreSQL. The embedded server then restarts it. */
async function killDatabase(): Promise<void> {
  process.kill(Number(readFileSync(join(server.directory, "postmaster.pid"), "utf8").split("\n")[0]), "SIGKILL");
}

function table(names: readonly string[], values: readonly (string | number)[]): void {
  console.log(`| ${names.join(" | ")} |`);
  console.log(`|${names.map(() => "---").join("|")}|`);
  console.log(`| ${values.join(" | ")} |`);
}

const wants = (part: string) => process.env.CHAOS_PARTS?.split(",").includes(part) ?? true;
const killing = { kills, seconds, inTheMiddle: killDatabase };
const killed = `${kills}, PostgreSQL once`;
const bad: string[] = [];

async function feed(): Promise<void> {
  const { lost, disordered, stuck, ...counts } = await chaos({ ...killing, writers: 3 });
  const { events, delivered, again, secondsToResume } = counts;
  table(
    ["kills", "events", "deliveries", "of them again", "lost", "out of order", "stuck", "resumed within"],
    [killed, events, delivered, again, lost.length, disordered.length, stuck.length, `${Math.ceil(secondsToResume)} s`],
  );
  bad.push(...lost, ...disordered, ...stuck);
}

async function messages(): Promise<void> {
  const { mails, texts, subscriptions, runs, unknown, wrong, stuck } = await chaosOfMessages(killing);
  table(
    ["kills", "mails", "texts", "subscriptions", "runs", "may have been sent", "wrong", "stuck"],
    [killed, mails, texts, subscriptions, runs, unknown, wrong.length, stuck.length],
  );
  bad.push(...wrong, ...stuck);
}

async function many(): Promise<void> {
  const { ended, items, rows, mails, wrong, stuck } = await chaosOfMany(killing);
  table(
    ["kills", ...Object.keys(ended), "items", "rows", "mails", "wrong", "stuck"],
    [killed, ...Object.values(ended), items, rows, mails, wrong.length, stuck.length],
  );
  bad.push(...wrong, ...stuck);
}

async function backup(): Promise<void> {
  const { kills: of, acknowledged, restored, wrong, stuck } = await chaosOfBackups(kills);
  table(
    ["backups killed", "restores killed", "acknowledged", "restored", "wrong", "stuck"],
    [of.backup, of.restore, acknowledged, restored, wrong.length, stuck.length],
  );
  bad.push(...wrong, ...stuck);
}

try {
  if (wants("feed")) await feed();
  if (wants("messages")) await messages();
  if (wants("many")) await many();
  if (wants("backup")) await backup();
  for (const one of bad.slice(0, 20)) console.log(one);
  process.exitCode = bad.length === 0 ? 0 : 1;
} finally {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
