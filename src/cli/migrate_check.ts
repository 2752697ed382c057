// `headwater migrate --check`: what `migrate` would do here, and for how long, without doing it.
import type pg from "pg";
import type { Config } from "../config.ts";
import type { Migration } from "../db/apply_migration.ts";
import { foresee, kinds } from "../db/foresee.ts";
import { measureEffect } from "../db/measure_effect.ts";
import { listMigrations, missingMigrations, readMigration } from "../db/migrate.ts";
import { inUtc, withClient } from "../db/one_client.ts";
import { withDatabase } from "./database.ts";
import { say } from "./say.ts";

export const run = (config: Config): Promise<void> =>
  withDatabase(config, (url) => withClient(url, "headwater migrate --check", tellAll, inUtc));

async function tellAll(client: pg.Client): Promise<void> {
  const { rows } = await client.query("select to_regclass('migration') is not null as present");
  if (!rows[0].present) return say(`The database is empty: all ${(await listMigrations()).length} migrations would run at once.`);
  const missing = await missingMigrations(client);
  for (const migration of missing) await tell(client, migration);
  if (missing.length === 0) return say("The database is up to date.");
  say(`${missing.length} would be applied. Nothing was changed.`);
}

async function tell(client: pg.Client, migration: Migration): Promise<void> {
  const { effects, breaks, contracts, isOpaque } = foresee(await readMigration(migration));
  say(migration.file);
  for (const effect of effects) {
    const measured = await measureEffect(client, effect);
    const what = `  ${effect.table}: ${kinds[effect.kind]}${effect.of && ` (${effect.of})`}.`;
    say(measured === null ? `${what} The table is made before.` : `${what} ${shown(measured)}`);
  }
  if (effects.length === 0 && !isOpaque) say("  takes a moment, whatever the tables hold");
  if (isOpaque) say("  has a block of code (do …) that cannot be foreseen: read it");
  if (contracts !== null)
    say(`  takes away what the release before has left alone (${contracts}): end processes of older ones first`);
  else for (const line of breaks.filter((one) => !one.endsWith("writes wait"))) say(`  older processes fail beside it: ${line}`);
}

function shown({ rows, bytes, seconds }: { rows: number; bytes: number; seconds: number | null }): string {
  const size = `${Math.round(rows).toLocaleString("en")} rows, ${(bytes / 1e6).toFixed(1)} MB`;
  if (seconds === null) return `${size}; how long cannot be measured before.`;
  if (seconds < 1) return `${size}: less than a second here.`;
  return `${size}: about ${seconds < 120 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`} here.`;
}
