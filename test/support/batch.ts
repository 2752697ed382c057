// Runs the test files of one process, whose paths are in TEST_FILES. Each file is a suite of its own, or else its hooks would run
// for the tests of all other files too. At the end it says how much work each file was.
import { type AsyncHook, createHook } from "node:async_hooks";
import { globSync, readFileSync } from "node:fs";
import { after, before, beforeEach, describe } from "node:test";
import { pathToFileURL } from "node:url";
import { effortOfAll } from "./effort.ts";

// node:test follows each promise to the test that made it, which takes a fifth of all time: the service runs in this process too.
// While files are loaded, `test` and `before` find their suite by it. Afterwards it would only name the test of an error that
// nobody caught, and such an error fails the process all the same. So a running test uses its context: `t.after`, `t.test`.
const following: AsyncHook[] = [];
const { enable } = Object.getPrototypeOf(createHook({})) as AsyncHook;
Object.getPrototypeOf(createHook({})).enable = function (this: AsyncHook): AsyncHook {
  following.push(this);
  return enable.call(this);
};

let told = 0;
/** Says how much work was done since the last call. The runner of all tests reads these lines. */
function tell(what: string): void {
  const all = effortOfAll();
  console.log(`ℹ effort ${Math.round(all - told)} ${what}`);
  told = all;
}

// What these close or check at the end they share between the files. So their own hooks belong to the whole process. The others
// are loaded by those who need them: a browser's driver takes a third of a second.
const hasHooks = (path: string) => /^(after|before)/m.test(readFileSync(path, "utf8"));
for (const path of globSync("test/support/*.ts", { exclude: ["**/batch.ts"] })) if (hasHooks(path)) await load(path);

const files = JSON.parse(process.env.TEST_FILES!) as string[];
const loaded = files.map(() => Promise.withResolvers<void>());
before(async () => {
  await Promise.all(loaded.map(({ promise }) => promise));
  for (const hook of following) hook.disable();
  tell("(start)");
});
for (const [i, file] of files.entries())
  describe(file, async () => {
    await load(file);
    after(() => tell(file));
    loaded[i]!.resolve();
  });
process.once("exit", () => tell("(end)"));
let running = "";
beforeEach((t) => {
  running = t.name;
});
for (const unheard of ["unhandledRejection", "uncaughtException"])
  process.on(unheard, (error) => console.error(`Nobody caught this error, during or after the test "${running}":`, error));
// So that what a test has started ends with it.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

async function load(path: string): Promise<void> {
  await import(pathToFileURL(path).href);
}
