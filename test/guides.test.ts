// The guides are followed to the letter.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { organization, type Workspace } from "./support/given.ts";

const root = new URL("..", import.meta.url).pathname;

test("who follows docs/adding-a-resource.md has a resource that keeps every promise of the others", () => {
  const copy = mkdtempSync(join(tmpdir(), "headwater-guide-"));
  try {
    for (const part of ["src", "test", "migrations", "scripts", "generated", "package.json", "tsconfig.json"])
      cpSync(join(root, part), join(copy, part), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    followGuide(copy);

    const { status, stdout } = spawnSync(
      process.execPath,
      [
        "--test",
        "--test-name-pattern=branch|column of the right type|composite keys|tenant table",
        "test/contract/verbs.test.ts",
        "test/contract/lists.test.ts",
        "test/contract/description.test.ts",
        "test/contract/search.test.ts",
      ],
      {
        cwd: copy,
        encoding: "utf8",
        // Statements about branches are not this run's: it does not know the table.
        env: { ...process.env, NODE_TEST_CONTEXT: undefined, TEST_STATEMENTS: undefined },
      },
    );

    assert.equal(status, 0, stdout);
    assert.match(stdout, /the list of branch/);
    assert.match(stdout, /records of branch are found by their words/);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

function followGuide(copy: string): void {
  const guide = readFileSync(join(root, "docs/adding-a-resource.md"), "utf8");
  const next = String(readdirSync(join(copy, "migrations")).length + 1).padStart(4, "0");
  const files = [...guide.matchAll(/<!-- file: (\S+) -->\n```\w+\n(.*?)```/gs)];
  assert.equal(files.length, 3);
  for (const [, name, text] of files) {
    const path = join(copy, name!.replace("NNNN", next));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text!);
  }
  const index = join(copy, "src/resources/index.ts");
  const present = readFileSync(index, "utf8");
  writeFileSync(
    index,
    `import { branches } from "./branches/index.ts";\n${present.replace(/(export const operations: readonly Operation\[\] = \[)/, "$1...branches, ")}`,
  );
}

test("the requests of docs/quotes.md answer what it shows", async () => {
  const acme = await organization();

  const followed = await followRequests(acme, "docs/quotes.md");

  assert.equal(followed, 8);
});

test("the requests of docs/following-events.md answer what it shows", async () => {
  const acme = await organization();

  const followed = await followRequests(acme, "docs/following-events.md");

  assert.equal(followed, 4);
});

/** Sends every request of a guide, each with what came before it, and compares what it shows of the answer. */
async function followRequests(ws: Workspace, guide: string): Promise<number> {
  const text = readFileSync(join(root, guide), "utf8");
  const blocks = [...text.matchAll(/(?:<!-- as: (\w+) -->\n)?```http\n(\w+) (\S+)\n(.*?)```(?:\n```json\n(.*?)```)?/gs)];
  const ids = new Map<string, string>();
  const known = (part: string) => part.replace(/\$(\w+)/g, (_, name: string) => ids.get(name)!);
  for (const [, as, method, path, body, shown] of blocks) {
    const given = body === "" ? undefined : JSON.parse(known(body!));
    const answer = await ws.ask(method!, known(path!), { body: given });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
    if (as !== undefined) ids.set(as, answer.body.id ?? answer.body.cursor_previous);
    for (const [key, value] of Object.entries(JSON.parse(shown ?? "{}")))
      if (value === "*") assert.ok(answer.body[key], `${path} shows ${key}`);
      else assert.deepEqual(answer.body[key], value, `${path} shows ${key}`);
  }
  return blocks.length;
}
