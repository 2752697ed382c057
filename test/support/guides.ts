// Follows a guide to the letter: sends what it shows, and compares what comes back with what it shows of it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Workspace } from "./given.ts";
import { withWorker } from "./worker.ts";

const root = new URL("../..", import.meta.url).pathname;

/** The text of a guide. */
export const guideOf = (name: string): string => readFileSync(join(root, name), "utf8");

export interface Following {
  /** The values that a reader would put into a body instead of those shown. */
  change?: (body: string) => string;
  /** What a reader does between the requests. */
  after?: (answer: any) => Promise<void>;
  /** What a guide supposes to be there already, by the name that its requests use. */
  given?: Record<string, { id: string }>;
  /** What happens before a request, by the words of the guide: time passes, or somebody answers. */
  meanwhile?: Record<string, () => Promise<unknown>>;
}

const request =
  /(?:<!-- meanwhile: ([^>]+) -->\n)?(?:<!-- as: (\w+) -->\n)?```http\n(\w+) (\S+)\n(.*?)```(?:\n```json\n(.*?)```)?/gs;

/** Sends every request of a guide, with values from earlier responses, and compares what it shows of the response. */
export async function followRequests(ws: Workspace, guide: string, following: Following = {}): Promise<number> {
  const { change = (body) => body, after, given = {}, meanwhile = {} } = following;
  const blocks = [...guideOf(guide).matchAll(request)];
  const answers = new Map<string, any>(Object.entries(given));
  const known = (part: string) => part.replace(/\$([a-z]\w*)((?:\.\w+)*)/g, (_, name, path) => valueIn(answers.get(name), path));
  for (const [, event, as, method, path, body, shown] of blocks) {
    if (event !== undefined) await meanwhile[event]!();
    const sent = body === "" ? undefined : JSON.parse(change(known(body!)));
    const answer = await ws.ask(method!, known(path!), { body: sent });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
    if (as !== undefined) answers.set(as, answer.body);
    compare(answer.body, JSON.parse(known(shown ?? "{}")), `${method} ${path} shows`);
    await after?.(answer.body);
  }
  return blocks.length;
}

/**
 * Runs every command of a guide, with its files in the folder, and compares what it shows of the answers. Blocks without a request are
 * what the later ones need. Whoever looks at something does so when it is done.
 */
export async function followCommands(ws: Workspace, name: string): Promise<number> {
  const guide = guideOf(name);
  const folder = mkdtempSync(join(tmpdir(), "headwater-guide-"));
  for (const [, file, text] of guide.matchAll(/<!-- file: (\S+) -->\n```\w+\n(.*?)```/gs))
    writeFileSync(join(folder, file!), text!);
  const blocks = [...guide.matchAll(/(?:<!-- as: (\w+) -->\n)?```sh\n(.*?)```(?:\n```(json|csv)\n(.*?)```)?/gs)];
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, KEY: ws.key, URL: ws.service.url };
  let before = "";
  let followed = 0;
  try {
    for (const [, as, command, kind, shown] of blocks) {
      if (!/\bapi "?\//.test(command!)) {
        before += command;
        continue;
      }
      if (!/ (-X|--json|-F) /.test(command!)) await withWorker(ws.service, (worker) => worker.drained());
      const answer = await said("sh", ["-c", `cd "$0"\n${before}${command}`, folder], env);
      if (as !== undefined) env[as] = JSON.parse(answer).id;
      if (kind === "csv") assert.equal(answer.replaceAll("\r\n", "\n"), shown, command);
      else
        assert.partialDeepStrictEqual(
          { "field-errors": null, ...JSON.parse(answer) },
          { "field-errors": null, ...JSON.parse(shown ?? "{}") },
          `${command}${answer}`,
        );
      followed++;
    }
    return followed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs every program of a guide, and compares what it prints with the block below it. */
export async function runPrograms(ws: Workspace, name: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "headwater-guide-"));
  const env = { PATH: process.env.PATH, HEADWATER_URL: ws.service.url, HEADWATER_KEY: ws.key };
  const programs = [...guideOf(name).matchAll(/<!-- file: (\S+) -->\n```(ts|py)\n(.*?)```\n\n```\n(.*?)```/gs)];
  try {
    for (const [, file, language, text, printed] of programs) {
      writeFileSync(join(folder, file!), text!);
      const program = language === "ts" ? process.execPath : "python3";
      assert.equal(await said(program, [join(folder, file!)], env), printed, `${name}: ${file}`);
    }
    return programs.length;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a program prints. The service under test runs in this process, which must not stand still meanwhile. */
export async function said(program: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  await once(child, "close");
  return text;
}

/** The value at a path such as `.steps.0.id`. By itself a name stands for the id of the record, or the cursor of the list. */
function valueIn(answer: any, path: string): string {
  if (path === "") return answer.id ?? answer.cursor_previous;
  return path
    .slice(1)
    .split(".")
    .reduce((value, key) => value[key], answer);
}

/** A guide shows some fields of a record, each element of a list, and `*` for any value. */
function compare(value: any, shown: any, where: string): void {
  if (shown === "*") return assert.ok(value, where);
  if (shown === null || typeof shown !== "object") return assert.deepEqual(value, shown, where);
  if (Array.isArray(shown)) assert.equal(value.length, shown.length, `${where}, as long a list`);
  for (const [key, one] of Object.entries(shown)) compare(value?.[key], one, `${where} ${key}`);
}
