// `npm run chaos`: the long form of `test/reliability/background_killed.test.ts`. It runs two workers, 25 kills at random,
// PostgreSQL killed in the middle, and receivers of all kinds, with row-level security unless DATABASE_RLS=off. It prints the
// result.
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

/** Kills PostgreSQL. The embedded server then restarts it. */
async function killDatabase(): Promise<void> {
  process.kill(Number(readFileSync(join(server.directory, "postmaster.pid"), "utf8").split("\n")[0]), "SIGKILL");
}

try {
  const { lost, disordered, stuck, ...counts } = await chaos({ kills, seconds, writers: 3, inTheMiddle: killDatabase });
  const { events, delivered, again, secondsToResume } = counts;
  console.log(`| kills | events | deliveries | of them again | lost | out of order | stuck | resumed within |`);
  console.log(`|---|---|---|---|---|---|---|---|`);
  console.log(
    `| ${kills}, PostgreSQL once | ${events} | ${delivered} | ${again} | ${lost.length} | ${disordered.length} | ${stuck.length} | ${Math.ceil(secondsToResume)} s |`,
  );
  for (const one of [...lost, ...disordered, ...stuck].slice(0, 20)) console.log(one);
  process.exitCode = lost.length + disordered.length + stuck.length === 0 ? 0 : 1;
} finally {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
