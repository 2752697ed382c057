// Follows the guides for those who extend the service, in a copy of it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { guideOf } from "../support/guides.ts";

const root = new URL("../..", import.meta.url).pathname;

test("who follows docs/adding-a-resource.md has a resource that keeps every promise of the others", () => {
  const { status, stdout } = inCopy((copy) => {
    followGuide(copy, "docs/adding-a-resource.md");
    const index = "export const operations: readonly Operation[] = [";
    change(join(copy, "src/resources/index.ts"), 'import { branches } from "./branches/index.ts";', index, "...branches, ");
    return runTests(copy, [
      "--test-name-pattern=branch|column of the right type|composite keys|tenant table",
      "test/contract/verbs.test.ts",
      "test/contract/lists.test.ts",
      "test/contract/description.test.ts",
      "test/contract/search.test.ts",
    ]);
  });

  assert.equal(status, 0, stdout);
  assert.match(stdout, /the list of branch/);
  assert.match(stdout, /records of branch are found by their words/);
});

test("who follows docs/adding-a-job.md has a consumer, a chunked job and a timer that work", () => {
  const { status, stdout } = inCopy((copy) => {
    const line = /`(onDue\(.*?\),)`/.exec(followGuide(copy, "docs/adding-a-job.md"))![1]!;
    const background = join(copy, "src/resources/background.ts");
    change(background, 'import { goneMembers, handover } from "./tasks/handover.ts";', "works: [", "handover, ");
    change(background, "", "consumers: [", "goneMembers, ");
    const timers = "export const timers: readonly Timer[] = [";
    change(join(copy, "src/resources/timers.ts"), 'import { recentlyGone } from "./tasks/handover.ts";', timers, line);
    return runTests(copy, ["src/resources/tasks/handover.test.ts"]);
  });

  assert.equal(status, 0, stdout);
  assert.match(stdout, /the open tasks of a member who leaves are urgent/);
});

/** Runs `work` in a copy of the repository. */
function inCopy<T>(work: (copy: string) => T): T {
  const copy = mkdtempSync(join(tmpdir(), "headwater-guide-"));
  try {
    for (const part of ["src", "test", "migrations", "scripts", "generated", "package.json", "tsconfig.json"])
      cpSync(join(root, part), join(copy, part), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    return work(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Statements about the tables that a guide adds are not recorded, because this run does not know the tables. */
const runTests = (copy: string, given: readonly string[]) =>
  spawnSync(process.execPath, ["--test", "--test-isolation=none", ...given], {
    cwd: copy,
    encoding: "utf8",
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, TEST_STATEMENTS: undefined },
  });

/** Adds an import at the top of a file, and code after a place in it. */
function change(path: string, imported: string, behind: string, added: string): void {
  const present = readFileSync(path, "utf8");
  assert.ok(present.includes(behind), `${path} has ${behind}`);
  writeFileSync(path, `${imported}\n${present.replace(behind, `${behind}${added}`)}`);
}

/** Writes the files of a guide, and returns its text. */
function followGuide(copy: string, name: string): string {
  const guide = guideOf(name);
  const next = String(readdirSync(join(copy, "migrations")).length + 1).padStart(4, "0");
  const files = [...guide.matchAll(/<!-- file: (\S+) -->\n```\w+\n(.*?)```/gs)];
  assert.equal(files.length, 3);
  for (const [, name, text] of files) {
    const path = join(copy, name!.replace("NNNN", next));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text!);
  }
  return guide;
}
