// Records the statements that a service sends. `npm test` loads this file into every process of a run, including those that tests
// start. Each process writes down every new statement, and `heard` reads them all.
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";

/** Where statements are written: one file for each process, one JSON text per line. */
const folder = process.env.TEST_STATEMENTS;

const texts = new Set<string>();

const { query } = pg.Client.prototype as { query: (...args: any[]) => unknown };

pg.Client.prototype.query = function (this: pg.Client, ...args: any[]) {
  if (isOurs(this)) hear(typeof args[0] === "string" ? args[0] : args[0].text);
  return query.apply(this, args);
} as typeof pg.Client.prototype.query;

// Whole tables of all organizations: a backup reads them, a restore fills them, and migrations change them.
const ofAll = ["headwater migrate", "headwater backup", "headwater restore"];

// The service names its connections, tests do not.
function isOurs(client: pg.Client): boolean {
  const { application_name: as } = (client as unknown as { connectionParameters: { application_name?: string } })
    .connectionParameters;
  return as !== undefined && as.startsWith("headwater") && !ofAll.includes(as);
}

function hear(text: string): void {
  if (texts.has(text)) return;
  texts.add(text);
  if (folder !== undefined) appendFileSync(join(folder, String(process.pid)), `${JSON.stringify(text)}\n`);
}

/** All distinct statements so far: of the run, or of this process when it runs alone. */
export function heard(): string[] {
  if (folder === undefined) return [...texts];
  const lines = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), "utf8").split("\n"));
  return [...new Set(lines.filter((line) => line !== "").map((line) => JSON.parse(line) as string))];
}
