// Files in any S3: the same promises as in a folder.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";
import { startS3 } from "../../../test/support/s3_server.ts";
import { startService } from "../../../test/support/service.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { sweepStoredBytes } from "./sweep.ts";

test("with S3 configured files are kept, read in parts, shared and removed there", async (t) => {
  const s3 = await startS3();
  t.after(() => s3.close());
  const ours = await startService({ env: s3.env });
  t.after(() => ours.close());
  const acme = await organization(ours);

  const made = await acme.post("/file/", { name: "a.txt", content_base64: Buffer.from("0123456789").toString("base64") });

  const [[key, bytes]] = [...s3.objects] as [[string, Buffer]];
  assert.equal(s3.objects.size, 1);
  assert.match(key, new RegExp(`^files/${acme.id}/[0-9a-f]{40}$`));
  assert.equal(bytes.toString(), "0123456789");
  assert.deepEqual(readdirSync(join(ours.filesDir, "incoming")), []);
  assert.equal((await acme.ask("GET", `/file/${made.id}/download/`)).text, "0123456789");
  const part = await acme.ask("GET", `/file/${made.id}/download/`, { headers: { range: "bytes=3-5" } });
  assert.deepEqual([part.status, part.text], [206, "345"]);
  const shared = await fetch(made.share_url_base64.replace("http://localhost", ours.url));
  assert.equal(((await shared.json()) as any).content_base64, Buffer.from("0123456789").toString("base64"));

  await acme.delete(`/file/${made.id}/`);
  await sweepStoredBytes(ours.app.db, ours.app.core.settings.storage);
  for (let tries = 0; tries < 1000 && s3.objects.size > 0; tries++) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(s3.objects.size, 0);
});

test("while S3 is away uploads and downloads are refused for now, and an upload leaves no record", async (t) => {
  const s3 = await startS3();
  t.after(() => s3.close());
  const ours = await startService({ env: s3.env });
  t.after(() => ours.close());
  const acme = await organization(ours);
  const before = await acme.post("/file/", { content_base64: "eA==" });
  const authorization = `Basic ${Buffer.from(`${acme.key}:`).toString("base64")}`;
  s3.down = true;

  const upload = await fetch(`${ours.url}/api/v1/file/`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ content_base64: "eA==" }),
  });
  const download = await fetch(`${ours.url}/api/v1/file/${before.id}/download/`, { headers: { authorization } });

  s3.down = false;
  assert.deepEqual([upload.status, download.status], [503, 503]);
  assert.equal((await acme.get("/file/")).data.length, 1);
});

test("while the storage is full an upload and an export say so, and both go well once it has room", async (t) => {
  const s3 = await startS3();
  t.after(() => s3.close());
  const ours = await startService({ env: s3.env });
  t.after(() => ours.close());
  const acme = await organization(ours);
  await acme.lead({ name: "Acme" });
  const exported = async () => {
    const { id } = await acme.post("/export/lead/", { format: "csv" });
    for (let tries = 0; tries < 3; tries++) {
      await withWorker(ours, (worker) => worker.drained(), { failures: [] });
      ours.clock.now = new Date((ours.clock.now?.getTime() ?? Date.now()) + 15 * 60_000);
    }
    return acme.get(`/export/${id}/`);
  };
  const reason = "could not be stored, because the storage is full: ask whoever runs this service to make room, and try again";
  s3.full = true;

  const upload = await fetch(`${ours.url}/api/v1/file/`, {
    method: "POST",
    headers: { authorization: `Bearer ${acme.key}`, "content-type": "application/json" },
    body: JSON.stringify({ content_base64: "eA==" }),
  });
  const refusal = (await upload.json()) as any;
  const failed = await exported();
  s3.full = false;
  await acme.post("/file/", { content_base64: "eA==" });
  const done = await exported();

  assert.deepEqual([upload.status, refusal["field-errors"]], [503, { file: reason }]);
  assert.deepEqual([failed.status, failed.error, failed.size], ["error", `The file ${reason}`, null]);
  assert.deepEqual([done.status, done.n_docs, s3.objects.size], ["done", 1, 2]);
});
