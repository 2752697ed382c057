// `headwater verify FILE`: reads an archive from its beginning to its end, and says what is in it. Without FILE, the newest one of BACKUP_TO.
import { readArchive } from "../backup/archive.ts";
import { type Manifest, signerOf } from "../backup/manifest.ts";
import type { Config } from "../config.ts";
import { presentSecrets } from "../services/secrets.ts";
import { archiveAt, newestArchive } from "./archive_at.ts";
import { columns, complain, say } from "./say.ts";

export async function run(config: Config, given: string | undefined): Promise<void> {
  const file = given ?? (await newestArchive(config));
  if (given === undefined) say(`The newest backup is ${file}.`);
  const open = await archiveAt(config, file);
  let isChecked = true;
  const secrets = await presentSecrets(config.secret_key, config.data_dir);
  const manifest = await readArchive(await open(), secrets, { unchecked: () => void (isChecked = false) });
  say(columns(manifest.tables.filter(({ rows }) => rows > 0).map(({ name, rows }) => [name, String(rows)])));
  say(contentsOf(manifest));
  if (!isChecked) complain(uncheckedWords(manifest));
}

export const uncheckedWords = (manifest: Manifest): string =>
  `Its signature was not checked: the key that signed it (${signerOf(manifest) ?? "unknown"}) is not here. It is whole, but somebody may have changed it and its hashes: set SECRET_KEY to that key to know, or use it only if you trust where it comes from.`;

export function contentsOf({ id, taken_at, release, organization_id, tables, files, secrets }: Manifest): string {
  const rows = tables.reduce((sum, one) => sum + one.rows, 0);
  const sealed =
    secrets === null
      ? "without secrets"
      : secrets.has_key
        ? "with secrets and their key"
        : `with secrets, sealed with the key ${secrets.key_id}`;
  const whose = organization_id === null ? "" : ` of ${organization_id} alone`;
  return `${id}${whose} of ${taken_at}, by ${release}: ${rows} rows in ${tables.length} tables, ${files.count} files of ${files.bytes} bytes, ${sealed}`;
}
