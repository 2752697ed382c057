// `headwater migrate`: brings the database to this release's version.
import type { Config } from "../config.ts";
import { migrate } from "../db/migrate.ts";
import { withDatabase } from "./database.ts";
import { complain, say } from "./say.ts";

export async function run(config: Config): Promise<void> {
  const applied = await withDatabase(config, (url) => migrate(url, { tell: complain }));
  for (const file of applied) say(`applied ${file}`);
  say(applied.length === 0 ? "The database is up to date." : "The database is now up to date.");
}
