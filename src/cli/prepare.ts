// Prepares a database for the first request: migrations, the epoch, partitions and, when it is empty, the first organization.
import type { Config } from "../config.ts";
import { beginEpoch } from "../db/epoch.ts";
import { migrate } from "../db/migrate.ts";
import { createPartitions } from "../db/partitions.ts";
import { refuseOtherKey } from "../services/sealing_key.ts";
import { openSecrets, secretKey } from "../services/secrets.ts";
import { bootstrap } from "./bootstrap.ts";
import { filesLeftBehind } from "./database.ts";
import { complain, say } from "./say.ts";

export async function prepare(config: Config, databaseUrl: string): Promise<void> {
  await migrate(databaseUrl, { tell: complain });
  await refuseOtherKey(databaseUrl, openSecrets(await secretKey(config.secret_key, config.data_dir)));
  const behind = filesLeftBehind(config);
  if (behind !== null) complain(`Stored files: ${behind}.`);
  await beginEpoch(databaseUrl);
  await createPartitions(databaseUrl, new Date());
  const founded = await bootstrap(databaseUrl, config.bootstrap, new Date());
  if (founded === null) return;

  say(`Created the first organization (${founded.organization_id}), with ${config.bootstrap.email} as its admin.`);
  if (founded.password_token !== null)
    say(`To sign in, set its password within a week:\n\n  ${config.base_url}/password/${founded.password_token}/\n`);
  if (config.bootstrap.api_key !== null) return say("Its API key is BOOTSTRAP_API_KEY.");
  say(`Its API key is shown only now:\n\n  ${founded.api_key}\n\nTry it once the service listens:\n`);
  say(`  curl -u ${founded.api_key}: ${config.base_url}/api/v1/me/\n`);
}
