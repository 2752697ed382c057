// Follows the guides for those who want to hear what happens.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { cutRequest } from "../support/cut_request.ts";
import { freePort } from "../support/free_port.ts";
import { organization } from "../support/given.ts";
import { followRequests, guideOf } from "../support/guides.ts";
import { outboundService } from "../support/outbound.ts";
import { until } from "../support/processes.ts";
import { withWorker } from "../support/worker.ts";

const root = new URL("../..", import.meta.url).pathname;

test("the requests of docs/following-events.md answer what it shows", async () => {
  const acme = await organization();

  const followed = await followRequests(acme, "docs/following-events.md");

  assert.equal(followed, 4);
});

for (const [file, program] of [
  ["mirror.mjs", process.execPath],
  ["mirror.py", "python3"],
] as const)
  test(`a newcomer who follows docs/following-events.md hears a lead by curl, and keeps a mirror by the stream with ${file}`, async () => {
    const acme = await organization();
    const folder = mkdtempSync(join(tmpdir(), "headwater-guide-"));
    const guide = guideOf("docs/following-events.md");
    const [, command] = /```sh\n(curl .*?)```/s.exec(guide)!;
    const [, script] = programIn(guide, file);
    writeFileSync(join(folder, file), script!);
    const env = { PATH: process.env.PATH, HEADWATER_URL: acme.service.url, HEADWATER_KEY: acme.key };
    const running: ChildProcess[] = [];
    const begin = (program: string, args: string[]) => {
      const child = spawn(program, args, { cwd: folder, env, stdio: ["ignore", "pipe", "ignore"] });
      running.push(child);
      return child;
    };
    const mirrors = async (names: string[]) => {
      const mirrored = () => namesIn(join(folder, "leads.json"));
      for (let i = 0; i < 1000 && mirrored().join() !== names.join(); i++) await sleep(20);
      assert.deepEqual(mirrored(), names);
    };
    try {
      const curl = begin("sh", ["-c", `exec ${command}`]);
      let told = "";
      curl.stdout!.on("data", (text) => (told += text));
      await until(() => /^retry: 2000\n:\nid: Wy[IJ]/.test(told));
      const [first, second] = [await acme.lead({ name: "Acme" }), await acme.lead({ name: "Bolt" })];
      await until(() => /\nid: Wy[IJ]\S+\nevent: lead.created\ndata: \{"id":"ev_/.test(told));

      const mirror = begin(program, [file]);
      await mirrors(["Acme", "Bolt"]);
      await acme.put(`/lead/${first.id}/`, { name: "Acme Inc" });
      await acme.lead({ name: "Cog\u2028" });
      await mirrors(["Acme Inc", "Bolt", "Cog\u2028"]);
      mirror.kill("SIGKILL");
      await acme.delete(`/lead/${second.id}/`);
      await acme.lead({ name: "Dynamo" });
      begin(program, [file]);
      await mirrors(["Acme Inc", "Cog\u2028", "Dynamo"]);
    } finally {
      for (const child of running) child.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    }
  });

for (const [file, program] of [
  ["receiver.mjs", process.execPath],
  ["receiver.ts", process.execPath],
  ["receiver.py", "python3"],
] as const)
  test(`who follows docs/webhooks.md with ${file} sees signed deliveries arrive and verifies them`, async () => {
    const acme = await organization(await outboundService());
    const folder = mkdtempSync(join(tmpdir(), "headwater-guide-"));
    const [, script] = programIn(guideOf("docs/webhooks.md"), file);
    writeFileSync(join(folder, file), script!);
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const port = await freePort();
    let receiver: ChildProcess | null = null;
    let said = "";

    try {
      const followed = await withWorker(acme.service, (worker) =>
        followRequests(acme, "docs/webhooks.md", {
          change: (body) => body.replace(":8080/", `:${port}/`),
          async after({ signature_key, url }) {
            if (receiver === null) {
              assert.equal(url, `http://127.0.0.1:${port}/`);
              const env = { ...process.env, PORT: String(port), SIGNATURE_KEY: signature_key };
              receiver = spawn(program, [file], { cwd: folder, env });
              receiver.stdout!.on("data", (text) => (said += text));
              await once(receiver.stdout!, "data");
            }
            await worker.drained();
          },
        }),
      );

      assert.equal(followed, 6);
      assert.match(said, /^listening\nverified webhook.ping whk_\w+\nverified lead.created lead_\w+\n/);
      assert.doesNotMatch(said, /refused/);
      for (const time of [String(Math.floor(Date.now() / 1000)), "9".repeat(5000)]) {
        const headers = { "webhook-id": "ev_1", "webhook-timestamp": time, "webhook-signature": "v1,AAAA" };
        const forged = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body: "{}" });
        assert.equal(forged.status, 401);
      }
      await cutRequest(port);
      // Wherever a delivery is cut into pieces, a letter of one of these is.
      const descriptions = ["", "e", "ee"].map((first) => first + "€".repeat(40_000));
      const ids = await Promise.all(descriptions.map(async (description) => (await acme.lead({ description })).id));
      await withWorker(acme.service, (worker) => worker.drained());
      await until(() => ids.every((id) => said.includes(`verified lead.created ${id}`)));
    } finally {
      (receiver as ChildProcess | null)?.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  });

const programIn = (guide: string, file: string) =>
  new RegExp(`<!-- file: ${file} -->\n\`\`\`\\w+\n(.*?)\`\`\``, "s").exec(guide)!;

function namesIn(file: string): string[] {
  const leads = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).leads : {};
  return Object.values(leads as Record<string, { name: string }>)
    .map(({ name }) => name)
    .sort();
}
