// A disk that is full while an archive is written.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { organization } from "../../test/support/given.ts";
import { command, dataDir, main } from "../../test/support/processes.ts";
import { testSecretKey } from "../../test/support/service.ts";

test("a backup that finds no room leaves nothing behind and says why, and with room it is taken", async () => {
  const acme = await organization();
  await acme.post("/file/", { name: "a.txt", content_base64: Buffer.alloc(2_000_000, "x").toString("base64") });
  const env = {
    PATH: process.env.PATH ?? "",
    DATABASE_URL: acme.service.databaseUrl,
    SECRET_KEY: testSecretKey,
    DATA_DIR: join(acme.service.filesDir, ".."),
    LOG_LEVEL: "fatal",
  };
  const folder = dataDir();
  const archive = join(folder, "backup.tar");
  writeFileSync(join(folder, "before.tar"), "another");

  // No file of this process may be longer, which is how a full disk looks to whoever writes.
  const full = await new Promise<string>((resolve) =>
    execFile(
      "bash",
      ["-c", 'ulimit -f 64; exec "$0" "$@"', process.execPath, main, "backup", archive],
      { env },
      (error, _out, err) => resolve(error === null ? "it was taken" : err),
    ),
  );
  const left = readdirSync(folder);
  const taken = await command(["backup", archive], env);

  assert.match(full, /There is no room for the archive \(EFBIG\): make some/);
  assert.deepEqual(left, ["before.tar"]);
  assert.equal(taken.code, 0, taken.err);
});
