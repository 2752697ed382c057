// Runs the test files of one process, whose paths are in TEST_FILES. Each file is a suite of its own, or else its hooks would run
// for the tests of all other files too.
import { globSync } from "node:fs";
import { describe } from "node:test";
import { pathToFileURL } from "node:url";

// What these close or check at the end they share between the files. So their own hooks belong to the whole process.
for (const path of globSync("test/support/*.ts", { exclude: ["**/batch.ts"] })) await load(path);

for (const file of JSON.parse(process.env.TEST_FILES!) as string[]) describe(file, () => load(file));

async function load(path: string): Promise<void> {
  await import(pathToFileURL(path).href);
}
