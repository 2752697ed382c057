import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { createDatabase } from "../../test/support/database.ts";
import { listMigrations, migrate } from "./migrate.ts";

test("a database of a newer release, and one that went another way, are left as they are, and told apart", async () => {
  const folder = await mkdtemp(join(tmpdir(), "headwater-migrations-"));
  const { url, drop } = await createDatabase();
  const files = (await listMigrations()).map(({ file }) => file);
  const release = async (names: readonly string[]) => {
    const path = await mkdtemp(join(folder, "release-"));
    await Promise.all(names.map((name) => writeFile(join(path, name), "select")));
    return migrate(url, { folder: pathToFileURL(`${path}/`) });
  };
  const next = `${String(files.length + 1).padStart(4, "0")}_vehicles.sql`;

  assert.deepEqual(await release(files), []);
  await assert.rejects(release(files.slice(0, -1)), {
    message: /is at version \d+, and this release knows .* use a newer release/,
  });
  await assert.rejects(release(files.with(1, "0002_keys.sql")), {
    message: /0002_access\.sql, where this release has 0002_keys\.sql\): use an empty database/,
  });
  assert.deepEqual(await release([...files, next]), [next]);

  await drop();
  await rm(folder, { recursive: true });
});
