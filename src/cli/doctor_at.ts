// `headwater doctor --at URL`: whether the service there works on the database of these settings. A drill ends with it, for whoever starts
// the service may give it other settings, such as the DATA_DIR of a unit.
import type { Config } from "../config.ts";
import { lifeOfDatabase } from "../db/epoch.ts";
import { withClient } from "../db/one_client.ts";
import { refuseWithoutDatabase, withDatabase } from "./database.ts";
import { Mistake, say } from "./say.ts";

const answersWithinMs = 10_000;

export async function run(config: Config, url: string): Promise<void> {
  refuseWithoutDatabase(config);
  const there = await databaseAt(url);
  const here = await withDatabase(config, (own) =>
    withClient(own, "headwater doctor", async (client) => (await client.query(lifeOfDatabase)).rows[0].life as string),
  );
  if (there !== here)
    throw new Mistake(
      `What answers at ${url} works on another database than that of ${config.database_url === null ? `the DATA_DIR ${config.data_dir}` : "DATABASE_URL"}: give the service the same settings, and start it again.`,
    );
  say(`The service at ${url} works on the database of these settings.`);
}

async function databaseAt(url: string): Promise<string> {
  const answer = await fetch(new URL("/readyz", url), { signal: AbortSignal.timeout(answersWithinMs) }).catch((error) => {
    throw new Mistake(`Nothing answers at ${url}: ${error.cause?.message ?? error.message}`);
  });
  const { database } = (await answer.json().catch(() => ({}))) as { database?: unknown };
  if (typeof database === "string") return database;
  throw new Mistake(
    `What answers at ${url} does not say on which database it works: it is not ready (${answer.status}), of an older release, or no Headwater.`,
  );
}
