// `headwater doctor --rotate-secret`: another SECRET_KEY for everything that lies sealed. Where the key is configured, SECRET_KEY is
// the new one and SECRET_KEY_OLD the one before; where it lies in DATA_DIR, a new one is made there.
import pg from "pg";
import type { Config } from "../config.ts";
import { migrate } from "../db/migrate.ts";
import { rotateSecrets } from "../services/rotate_secrets.ts";
import { nextSecretKey, openSecrets } from "../services/secrets.ts";
import { withDatabase } from "./database.ts";
import { Mistake, say } from "./say.ts";

export async function rotateSecret(config: Config): Promise<void> {
  const change = await keysOf(config);
  const count = await withDatabase(config, async (url) => {
    await migrate(url);
    return rotate(url, change.from, change.to);
  });
  await change.finish();
  say(`${count} secrets are sealed with the new key.`);
}

async function keysOf({ secret_key, secret_key_old, data_dir }: Config) {
  if (secret_key === null) return nextSecretKey(data_dir);
  if (secret_key_old === null) throw new Mistake("Set SECRET_KEY to the new key, and SECRET_KEY_OLD to the one before.");
  return { from: secret_key_old, to: secret_key, finish: async () => {} };
}

async function rotate(url: string, from: string, to: string): Promise<number> {
  const client = new pg.Client({ connectionString: url, application_name: "headwater doctor" });
  await client.connect();
  try {
    await refuseWhileServing(client);
    return await rotateSecrets(client, openSecrets(from), openSecrets(to));
  } finally {
    await client.end();
  }
}

// A service that runs knows only one of the two keys, and would go on sealing with the old one.
async function refuseWhileServing(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    "select 1 from pg_stat_activity where datname = current_database() and application_name in ('headwater', 'headwater listen') limit 1",
  );
  if (rows.length > 0) throw new Mistake("The service is running: stop it, change the key, and start it again.");
}
