// The tour of docs/tour.md and the first calls of the README work as printed: a shell runs its commands against the service as `npm start` runs it.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { createDatabase } from "./support/database.ts";
import { portOf } from "./support/listening.ts";

const root = new URL("..", import.meta.url).pathname;
const key = "tour_key_0123456789_abcdefghij";

test("who follows the five minutes of docs/tour.md, and the README's first calls, sees what they promise", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-tour-"));
  const database = await createDatabase();
  const env = {
    ...process.env,
    DATABASE_URL: database.url,
    DATABASE_RLS: "off",
    DATA_DIR: dataDir,
    PORT: "0",
    BOOTSTRAP_API_KEY: key,
    LOG_LEVEL: "silent",
  };
  const service = spawn(process.execPath, ["src/main.ts", "start"], { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const port = await portOf(service);

    const output = await promisify(execFile)("bash", ["-euc", tour("docs/tour.md", port)], { maxBuffer: 1e7 });
    const first = await promisify(execFile)("bash", ["-euc", tour("README.md", port)], { maxBuffer: 1e7 });

    const answers = answersIn(output.stdout);
    assert.equal(answers.length, 10, output.stdout);
    const [me, lead, found, deal, task, note, plan, quote, events, mistake] = answers;
    assert.equal(me.email, "admin@localhost");
    assert.equal(lead.status_label, "Qualified");
    assert.deepEqual(
      found.data.map((one: any) => one.name),
      ["Bluth Company"],
    );
    assert.equal(found.data[0].contacts[0].name, "Gob Bluth");
    assert.equal(deal.value_formatted, "$12,000.00");
    assert.equal(task._type, "call");
    assert.match(note.note, /banana/);
    assert.deepEqual([plan.name, plan.lead_id], ["plan.txt", lead.id]);
    assert.equal(
      await (await fetch(plan.share_url.replace(/^http:\/\/[^/]+/, `http://127.0.0.1:${port}`))).text(),
      "Two floors, no plumbing\n",
    );
    assert.equal(quote.total_formatted, "$129,600.00");
    assert.ok(events.data.some((one: any) => one.event === "opportunity.created"));
    const [again, both, feed, same] = answersIn(first.stdout);
    assert.deepEqual([again.status_label, both.data.length], ["Qualified", 2]);
    assert.ok(feed.data.some((one: any) => one.event === "lead.created"));
    assert.deepEqual(same, mistake);
    for (const page of ["docs/tour.md", "README.md"])
      assert.ok(
        readFileSync(join(root, page), "utf8").includes(JSON.stringify(mistake)),
        `${page} prints ${JSON.stringify(mistake)}`,
      );
  } finally {
    service.kill("SIGINT");
    await once(service, "exit");
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

const answersIn = (output: string): any[] =>
  output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));

/** The marked blocks as one script. Only the key and the port are the test's own. */
function tour(page: string, port: number): string {
  const text = readFileSync(join(root, page), "utf8");
  const blocks = [...text.matchAll(/<!-- tour -->\n```sh\n(.*?)```/gs)].map((match) => match[1]!);
  assert.ok(blocks.length >= 2);
  const script = blocks
    .join("\n")
    .replace(/KEY=\S+/, `KEY=${key}`)
    .replaceAll("localhost:4000", `localhost:${port}`);
  return script.replaceAll(/^curl (.*)$/gm, "curl -s -w '\\n' $1").replaceAll("curl -s -w '\\n' -s", "curl -s");
}
