// An admin gets the archive of their workspace, and it can be put in elsewhere.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization } from "../../../test/support/given.ts";
import { testSecretKey } from "../../../test/support/service.ts";
import { drained } from "../../../test/support/webhooks.ts";
import { readArchive } from "../../backup/archive.ts";
import { openSecrets } from "../../services/secrets.ts";

const pathOf = (url: string) => url.replace(/^.*\/api\/v1/, "");

test("an admin asks for the archive of the workspace, and downloads it whole until it is removed after a week", async (t) => {
  const acme = await organization();
  await acme.lead({ name: "A lead of the archive" });
  const begun = await acme.post(`/organization/${acme.id}/export/`, {});
  const again = await acme.post(`/organization/${acme.id}/export/`, {});

  await drained(acme);
  const done = await acme.get(`/organization_export/${begun.id}/`);
  const answer = await fetch(`${acme.service.url}/api/v1${pathOf(done.download_url)}`, {
    headers: { authorization: `Bearer ${acme.key}` },
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const folder = await mkdtemp(join(tmpdir(), "headwater-export-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "acme.tar"), bytes);
  const manifest = await readArchive(join(folder, "acme.tar"), openSecrets(testSecretKey), {});

  assert.equal(again.id, begun.id, "one at a time");
  assert.deepEqual([done.status, done.size], ["done", bytes.length]);
  assert.equal(manifest.organization_id, acme.id);
  assert.equal(manifest.tables.find(({ name }) => name === "lead")!.rows, 1);
  assert.equal(manifest.secrets, null);
  assert.match(answer.headers.get("content-disposition")!, /workspace_\d{4}-\d\d-\d\d\.tar/);

  await atMoment(acme.service, done.expires_at, "organization_exports");
  await acme.refused(404, "GET", pathOf(done.download_url));
  assert.equal((await acme.get(`/organization_export/${begun.id}/`)).download_url, null);
});

test("nobody but an admin gets it, and nobody that of another workspace", async () => {
  const acme = await organization();
  const other = await organization();
  const { id } = await acme.post(`/organization/${acme.id}/export/`, {});
  const almost = await acme.memberWith(["manage_organization", "export"]);

  for (const member of [await acme.member("superuser"), almost]) {
    await member.refused(403, "POST", `/organization/${acme.id}/export/`, {});
    await member.refused(403, "GET", `/organization_export/${id}/download/`);
  }
  await other.refused(404, "POST", `/organization/${acme.id}/export/`, {});
  await other.refused(404, "GET", `/organization_export/${id}/`);
  await other.refused(404, "GET", `/organization_export/${id}/download/`);
});
