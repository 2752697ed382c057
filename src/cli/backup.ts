// `headwater backup FILE`: writes everything into one archive, beside a running service.
import { takeBackup } from "../backup/take.ts";
import type { Config } from "../config.ts";
import { openSecrets, secretKey } from "../services/secrets.ts";
import { filesOf, withDatabase } from "./database.ts";
import { complain, say } from "./say.ts";
import { contentsOf } from "./verify.ts";
import { version } from "./version.ts";

export async function run(config: Config, file: string, options: { withoutSecrets?: boolean }): Promise<void> {
  const key = await secretKey(config.secret_key, config.data_dir);
  const withSecrets = options.withoutSecrets !== true;
  const isOurs = config.secret_key === null;
  const manifest = await withDatabase(config, (url) =>
    takeBackup(file, {
      url,
      storage: filesOf(config),
      secrets: openSecrets(key),
      // Who set SECRET_KEY keeps it elsewhere. The key of DATA_DIR would be lost with it.
      key: isOurs ? key : null,
      withSecrets,
      release: version,
    }),
  );
  say(contentsOf(manifest));
  const { count } = manifest.files.missing;
  if (count > 0) complain(`${count} files have a record, and their bytes are lost: ${manifest.files.missing.keys.join(", ")}`);
  if (withSecrets && isOurs) complain("The archive holds the key of its secrets: keep it where nobody else can read it.");
}
