// Checks the files that comments and documents name. When a file moves, this test lists the places that still name the old path.
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";

const root = new URL("..", import.meta.url).pathname;
const folders = ["src", "test", "docs", "bench", "scripts", "bin", "migrations", "generated", "ops", "deploy"];
const present = ["*", ...folders.map((one) => `${one}/**/*`)].flatMap((glob) => globSync(glob, { cwd: root }));
const names = new Set(present.map((one) => basename(one)));

/** The guides create these files, and the changelog describes the past. */
const exempt = new Set(["docs/adding-a-resource.md", "docs/adding-a-job.md", "CHANGELOG.md"]);

const file = /(?<![\w/.@*-])(?:[\w-]+[/.])*[\w-]+\.(?:ts|md|sql|yml)\b/g;
const folder =
  /`((?:src|test|docs|bench|scripts|migrations|core|records|search|http|auth|db|values|services|resources)\/[\w/-]*)`/g;

/** A file is named by its whole path, by the end of it, or by its name alone. */
const isThere = (name: string, from: string): boolean =>
  name.includes("/")
    ? existsSync(join(root, dirname(from), name)) || present.some((one) => `/${one}`.endsWith(`/${name.replace(/\/$/, "")}`))
    : names.has(name);

/** For code, only the comments; for a document, everything. */
const proseOf = (path: string, text: string): string =>
  path.endsWith(".ts") ? [...text.matchAll(/(?<!:)\/\/.*$|\/\*\*[\s\S]*?\*\//gm)].map(([comment]) => comment).join("\n") : text;

function deadSignposts(path: string): string[] {
  const text = readFileSync(join(root, path), "utf8");
  const prose = proseOf(path, text);
  // Files that a guide tells its reader to save.
  const saved = new Set([...text.matchAll(/<!-- file: (\S+) -->/g)].map(([, name]) => name!));
  const named = [...[...prose.matchAll(file)].map(([name]) => name), ...[...prose.matchAll(folder)].map(([, name]) => name!)];
  return [...new Set(named)].filter((name) => !saved.has(name) && !isThere(name, path)).map((name) => `${path} names ${name}`);
}

test("every file or folder that a comment or a document names exists", () => {
  const texts = present.filter((path) => /\.(ts|md)$/.test(path) && !exempt.has(path));

  assert.deepEqual(texts.flatMap(deadSignposts), [], "say where it is now, or say it without the file");
});

test("a file that is not there is found by its name and by its path", () => {
  const found = (text: string) => [...text.matchAll(file)].map(([name]) => name).filter((name) => !isThere(name, "docs/x.md"));

  assert.deepEqual(found("see `gone.ts`, src/core/gone.ts and records/standard.ts"), ["gone.ts", "src/core/gone.ts"]);
});
