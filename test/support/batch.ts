// Runs the test files of one process, whose paths are in TEST_FILES. Each file is a suite of its own, or else its hooks would run
// for the tests of all other files too. At the end it says how much work each file was.
import { globSync } from "node:fs";
import { after, before, describe } from "node:test";
import { pathToFileURL } from "node:url";
import { effortOfAll } from "./effort.ts";

let told = 0;
/** Says how much work was done since the last call. The runner of all tests reads these lines. */
function tell(what: string): void {
  const all = effortOfAll();
  console.log(`ℹ effort ${Math.round(all - told)} ${what}`);
  told = all;
}

// What these close or check at the end they share between the files. So their own hooks belong to the whole process.
for (const path of globSync("test/support/*.ts", { exclude: ["**/batch.ts"] })) await load(path);

before(() => tell("(start)"));
for (const file of JSON.parse(process.env.TEST_FILES!) as string[])
  describe(file, async () => {
    await load(file);
    after(() => tell(file));
  });
process.once("exit", () => tell("(end)"));

async function load(path: string): Promise<void> {
  await import(pathToFileURL(path).href);
}
