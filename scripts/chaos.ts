// `npm run chaos`: the long form of `test/reliability/background_killed.test.ts`. It runs two workers, 25 kills at random,
// PostgreSQL killed in the middle, and receivers of all kinds, with row-level security unless DATABASE_RLS=off; then the same with
// mail, texts, sequences and automations. It prints the results.
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

try {
  const { lost, disordered, stuck, ...counts } = await chaos({ kills, seconds, writers: 3, inTheMiddle: killDatabase });
  const { events, delivered, again, secondsToResume } = counts;
  table(
    ["kills", "events", "deliveries", "of them again", "lost", "out of order", "stuck", "resumed within"],
    [
      `${kills}, PostgreSQL once`,
      events,
      delivered,
      again,
      lost.length,
      disordered.length,
      stuck.length,
      `${Math.ceil(secondsToResume)} s`,
    ],
  );
  const messages = await chaosOfMessages({ kills, seconds, inTheMiddle: killDatabase });
  const { mails, texts, subscriptions, runs, unknown, wrong } = messages;
  table(
    ["kills", "mails", "texts", "subscriptions", "runs", "may have been sent", "wrong", "stuck"],
    [`${kills}, PostgreSQL once`, mails, texts, subscriptions, runs, unknown, wrong.length, messages.stuck.length],
  );
  const bad = [...lost, ...disordered, ...stuck, ...wrong, ...messages.stuck];
  for (const one of bad.slice(0, 20)) console.log(one);
  process.exitCode = bad.length === 0 ? 0 : 1;
} finally {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
