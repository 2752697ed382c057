// A folder for backups, or a bucket, whose client is loaded only then.
import { createReadStream } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isName, type Place, type PlaceName } from "./place.ts";

/** `scratch` is a folder for an archive on its way to S3. */
export async function openPlace(name: PlaceName, scratch: string): Promise<Place> {
  if ("folder" in name) return folderPlace(name.folder);
  const { bucketPlace } = await import("./s3_place.ts");
  return bucketPlace(name, scratch);
}

function folderPlace(folder: string): Place {
  return {
    said: folder,
    async list() {
      await mkdir(folder, { recursive: true });
      return (await readdir(folder)).filter(isName).sort();
    },
    async add(name, write) {
      // A process that was killed left its part behind.
      for (const one of await readdir(folder))
        if (one.endsWith(".partial") && isName(one.slice(0, -".partial".length))) await rm(join(folder, one), { force: true });
      const path = join(folder, name);
      await write(path);
      return (await stat(path)).size;
    },
    read: async (name) => createReadStream(join(folder, name)),
    remove: (name) => rm(join(folder, name), { force: true }),
  };
}
