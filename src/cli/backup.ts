// `headwater backup FILE`: writes everything into one archive, beside a running service. Without FILE it takes the backup that the schedule
// takes, to the same place.
import { setPriority } from "node:os";
import { join } from "node:path";
import type { Manifest } from "../backup/manifest.ts";
import { openPlace } from "../backup/open_place.ts";
import { takeScheduled } from "../backup/scheduled.ts";
import { type Source, takeBackup } from "../backup/take.ts";
import type { Config } from "../config.ts";
import { openSecrets, secretKey } from "../services/secrets.ts";
import { filesOf, refuseBlank, withDatabase } from "./database.ts";
import { complain, Mistake, say } from "./say.ts";
import { tellOperator } from "./tell_operator.ts";
import { contentsOf } from "./verify.ts";
import { version } from "./version.ts";

interface Options {
  withoutSecrets?: boolean;
  organization?: string;
  despiteMissing?: boolean;
}

export async function run(config: Config, file: string | undefined, options: Options): Promise<void> {
  const { withoutSecrets, organization, despiteMissing } = options;
  // When both need the same cores, API requests go first, as beside a worker.
  setPriority(5);
  if (organization !== undefined && file === undefined) throw new Mistake("Say into which file the organization goes.");
  await withDatabase(config, async (url) => {
    await refuseBlank(url);
    const source = await sourceOf(config, url, { withoutSecrets, organization });
    if (file !== undefined) tell(await takeBackup(file, source), source);
    else await runScheduled(config, source, despiteMissing);
  });
}

async function sourceOf(config: Config, url: string, { withoutSecrets = false, organization }: Options): Promise<Source> {
  const key = await secretKey(config.secret_key, config.data_dir);
  return {
    url,
    storage: filesOf(config),
    secrets: openSecrets(key),
    // Who set SECRET_KEY keeps it elsewhere. The key of DATA_DIR would be lost with it.
    key: config.secret_key === null ? key : null,
    withSecrets: !withoutSecrets && organization === undefined,
    release: version,
    organization_id: organization ?? null,
  };
}

function tell(manifest: Manifest, { withSecrets, key }: Source): void {
  say(contentsOf(manifest));
  const { count, keys } = manifest.files.missing;
  if (count > 0) complain(`${count} files have a record, and their bytes are lost: ${keys.join(", ")}`);
  if (withSecrets && key !== null) complain("The archive holds the key of its secrets: keep it where nobody else can read it.");
}

async function runScheduled(config: Config, source: Source, despiteMissing?: boolean): Promise<void> {
  if (config.backup === null) throw new Mistake("Say into which file, or set BACKUP_TO to a folder or an S3 address.");
  const { to, keep } = config.backup;
  const place = await openPlace(to, join(config.data_dir, "backup_on_its_way"));
  const outcome = await takeScheduled(source, place, { keep, despiteMissing }, () => new Date());
  if (outcome === null) return complain("Another process is taking a backup.");
  const { name, taken, failedBefore } = outcome;
  if (taken instanceof Error) {
    const words = `The backup to ${place.said} failed: ${taken.message || taken.name}`;
    if (!failedBefore) await tellOperator(config, "A backup failed", `${words}\nIt is tried again every hour.`);
    throw new Mistake(words);
  }
  say(`${place.said}: ${name}`);
  tell(taken, source);
  if (failedBefore) await tellOperator(config, "Backups work again", `${name} is in ${place.said}, and is whole.`);
}
