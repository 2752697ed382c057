// `headwater distribute`: distributes the tables over the servers of a Citus cluster. See docs/growing.md.
import type { Config } from "../config.ts";
import { distribute, refuseWithoutCluster } from "../db/distribute.ts";
import { migrate } from "../db/migrate.ts";
import { refuseWhileServing, withDatabase } from "./database.ts";
import { Mistake, say } from "./say.ts";

export async function run(config: Config, options: { shards: string }): Promise<void> {
  const shards = Number(options.shards);
  if (!Number.isInteger(shards) || shards < 1 || shards > 64_000)
    throw new Mistake("--shards must be a whole number from 1 to 64000.");
  const spread = await withDatabase(config, async (url) => {
    await refuseWithoutCluster(url);
    await refuseWhileServing(url, "stop it, spread the tables, and start it again");
    await migrate(url);
    return distribute(url, shards);
  });
  for (const table of spread) say(`spread ${table}`);
  say(spread.length === 0 ? "Nothing is left to spread." : "The tables are spread over the cluster.");
}
