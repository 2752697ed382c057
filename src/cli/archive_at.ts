// Where the archive of a command lies: a file, or an object such as `s3://bucket/nightly/monday.tar`, with the settings of S3.
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Opening } from "../backup/archive.ts";
import { openPlace } from "../backup/open_place.ts";
import { untilNow } from "../backup/place.ts";
import { bucketOf, type Config } from "../config.ts";
import { Mistake } from "./say.ts";

/** The newest of the backups in BACKUP_TO, which were read whole when they were taken. */
export async function newestArchive({ backup, data_dir }: Config): Promise<string> {
  if (backup === null) throw new Mistake("Say which file, or set BACKUP_TO to where the backups are.");
  const place = await openPlace(backup.to, join(data_dir, scratch));
  const names = await place.list();
  const name = untilNow(names, new Date()).at(-1) ?? names[0];
  if (name === undefined) throw new Mistake(`There is no backup in ${place.said}.`);
  return "folder" in backup.to ? join(place.said, name) : `${place.said}${name}`;
}

const scratch = "backup_on_its_way";

/** Opens it from its beginning, as often as it is called. */
export async function archiveAt(config: Config, name: string): Promise<Opening> {
  const found = bucketOf(name);
  if (found === null) {
    await refuseUnreadable(name);
    return async () => name;
  }
  const account = config.s3 ?? (config.backup !== null && "s3" in config.backup.to ? config.backup.to.s3 : null);
  if (account === null)
    throw new Mistake(
      "To read from S3, set S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and what else is needed, with S3_BUCKET or BACKUP_TO.",
    );
  const parts = found.prefix.split("/").slice(0, -1);
  const file = parts.pop();
  if (file === undefined) throw new Mistake("Say which archive in the bucket, such as s3://bucket/monday.tar.");
  const prefix = parts.map((part) => `${part}/`).join("");
  const place = await openPlace({ s3: { ...account, bucket: found.bucket }, prefix }, join(config.data_dir, scratch));
  return () =>
    place.read(file).catch((error) => {
      throw new Mistake(`${name} cannot be read: ${error.message || error.name}`);
    });
}

async function refuseUnreadable(name: string): Promise<void> {
  const found = await stat(name).catch((error) => {
    throw error.code === "ENOENT" ? new Mistake(`There is no file ${name}.`) : error;
  });
  if (found.isDirectory()) throw new Mistake(`${name} is a folder: say which file in it.`);
  await access(name, constants.R_OK).catch(() => {
    throw new Mistake(`${name} may not be read by this user.`);
  });
}
