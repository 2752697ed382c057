// `headwater restore FILE`: puts an archive into an empty database. Without FILE, the newest one of BACKUP_TO.

import { readArchive } from "../backup/archive.ts";
import type { Manifest } from "../backup/manifest.ts";
import { restoreOrganization } from "../backup/organization/restore.ts";
import { refuseUnknown, restoreArchive } from "../backup/restore.ts";
import type { LostSecret } from "../backup/secrets.ts";
import type { Config } from "../config.ts";
import { migrate } from "../db/migrate.ts";
import { withClient } from "../db/one_client.ts";
import { background } from "../resources/background.ts";
import { rotateSecrets } from "../services/rotate_secrets.ts";
import { adoptSecretKey, openSecrets, presentSecrets, secretKey } from "../services/secrets.ts";
import { archiveAt, newestArchive } from "./archive_at.ts";
import { filesOf, refuseWhileServing, withDatabase } from "./database.ts";
import { columns, complain, Mistake, say } from "./say.ts";
import { contentsOf, uncheckedWords } from "./verify.ts";

interface Options {
  withoutSecrets?: boolean;
  organization?: boolean;
  newIds?: boolean;
  wasStopped?: boolean;
}

export async function run(config: Config, given: string | undefined, options: Options): Promise<void> {
  if (options.organization && given === undefined) throw new Mistake("Say in which file the organization is.");
  const file = given ?? (await newestArchive(config));
  if (given === undefined) say(`The newest backup is ${file}.`);
  if (options.organization) return putIn(config, file, options);
  const open = await archiveAt(config, file);
  let archived: string | null = null;
  let isChecked = true;
  const manifest = await readArchive(await open(), await presentSecrets(config.secret_key, config.data_dir), {
    head: refuseUnknown,
    key: async (key) => void (archived = key),
    unchecked: () => void (isChecked = false),
  });
  if (manifest.organization_id !== null)
    throw new Mistake("The archive is of one organization: put it into a database with others by restore --organization.");
  if (!isChecked) complain(uncheckedWords(manifest));
  if (archived !== null && config.secret_key === null && options.withoutSecrets !== true)
    await adoptSecretKey(archived, config.data_dir);
  const key = await secretKey(config.secret_key, config.data_dir);
  const former = formerKey(manifest, key, [archived, config.secret_key_old]);
  const withSecrets = manifest.secrets !== null && options.withoutSecrets !== true;
  if (withSecrets && former === undefined)
    throw new Mistake(
      "The secrets of the archive are sealed with another key: set SECRET_KEY to it, or SECRET_KEY_OLD to seal them anew, or leave them out by --without-secrets.",
    );

  let lost: LostSecret[] = [];
  await withDatabase(config, async (url) => {
    await refuseWhileServing(url, "stop it, and restore into an empty database");
    const secrets = openSecrets(key);
    const target = { url, storage: filesOf(config), secrets, withSecrets, wasStopped: options.wasStopped };
    lost = await restoreArchive(open, manifest, target);
    if (withSecrets && former !== key) await sealAnew(url, former!, key);
  });
  say(contentsOf(manifest));
  if (lost.length > 0) say(`What was secret is left out, and somebody has to give it again:\n${listed(lost)}`);
  say("Restored. Start the service; readers of the feed and webhooks go on. People sign in again.");
}

const listed = (lost: readonly LostSecret[]): string =>
  columns(lost.map(({ organization_id, table, id, name, todo }) => [organization_id, `${table} ${id}`, name ?? "", todo]));

/** Beside a running service: others work meanwhile. */
async function putIn(config: Config, file: string, { newIds = false }: Options): Promise<void> {
  const open = await archiveAt(config, file);
  const key = await secretKey(config.secret_key, config.data_dir);
  const secrets = openSecrets(key);
  const manifest = await readArchive(await open(), secrets, { head: refuseUnknown });
  if (manifest.organization_id === null)
    throw new Mistake("The archive is of everything and not of one organization: take one by backup --organization.");
  const isStrange = manifest.signed_by !== secrets.key_id;
  if (isStrange)
    complain(
      "The archive was signed by another service, so its signature says nothing here: use it only if you trust where it comes from.",
    );
  const id = await withDatabase(config, async (url) => {
    // An empty database becomes as that of the archive was, and is brought up to date with the organization in it.
    await migrate(url, { count: manifest.migrations.count });
    const kindsOfWork = background.works.map(({ kind }) => kind);
    const target = { url, storage: filesOf(config), secrets, kindsOfWork };
    const here = await restoreOrganization(open, manifest, target, newIds);
    await migrate(url);
    return here;
  });
  say(contentsOf(manifest));
  say(`Restored as ${id}. Make a key by: headwater key create --organization ${id} --email …`);
  if (isStrange) say("Members who had an account here before are invited anew: POST /membership/ sends them the link.");
  say("Connections, webhooks, automations and sequences wait until a member gives their secrets and starts them.");
}

/** The key that sealed what is in the archive: ours, one of the others, or none that is known. */
function formerKey({ secrets }: Manifest, ours: string, others: readonly (string | null)[]): string | undefined {
  return [ours, ...others].filter((one) => one !== null).find((one) => openSecrets(one).key_id === secrets?.key_id);
}

async function sealAnew(url: string, from: string, to: string): Promise<void> {
  await withClient(url, "headwater restore", (client) => rotateSecrets(client, openSecrets(from), openSecrets(to)));
}
