// `headwater doctor --rotate-secret`: seals all secrets with another SECRET_KEY. A configured key is replaced by setting
// SECRET_KEY to the new one and SECRET_KEY_OLD to the old one. A key in DATA_DIR is replaced by a new one, which is created
// there.

import type { Config } from "../config.ts";
import { migrate } from "../db/migrate.ts";
import { withClient } from "../db/one_client.ts";
import { rotateSecrets } from "../services/rotate_secrets.ts";
import { nextSecretKey, openSecrets } from "../services/secrets.ts";
import { refuseWhileServing, refuseWithoutDatabase, withDatabase } from "./database.ts";
import { Mistake, say } from "./say.ts";

export async function rotateSecret(config: Config): Promise<void> {
  refuseWithoutDatabase(config);
  const count = await withDatabase(config, async (url) => {
    // A running service knows only one of the two keys, and would keep sealing with the old one.
    await refuseWhileServing(url, "stop it, change the key, and start it again");
    await migrate(url);
    // Only now, because an unfinished new key in the folder keeps the service from starting until the change is done.
    const { from, to, finish } = await keysOf(config);
    const sealed = await withClient(url, "headwater doctor", (client) =>
      rotateSecrets(client, openSecrets(from), openSecrets(to)),
    );
    await finish();
    return sealed;
  });
  say(`Secrets sealed with the new key: ${count}.`);
}

async function keysOf({ secret_key, secret_key_old, data_dir }: Config) {
  if (secret_key === null) return nextSecretKey(data_dir);
  if (secret_key_old === null) throw new Mistake("Set SECRET_KEY to the new key, and SECRET_KEY_OLD to the one before.");
  return { from: secret_key_old, to: secret_key, finish: async () => {} };
}
