// Hears the statements that a service sends. `npm test` loads this file into every process of a run, those that tests start included, and
// each writes down what it hears for the first time; `heard` reads it all.
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";

/** Where what is heard is written down, a JSON text a line and a file a process. */
const folder = process.env.TEST_STATEMENTS;

const texts = new Set<string>();

const { query } = pg.Client.prototype as { query: (...args: any[]) => unknown };

pg.Client.prototype.query = function (this: pg.Client, ...args: any[]) {
  if (isOurs(this)) hear(typeof args[0] === "string" ? args[0] : args[0].text);
  return query.apply(this, args);
} as typeof pg.Client.prototype.query;

// The service names its connections, and tests do not. Migrations change tables, for all organizations alike.
function isOurs(client: pg.Client): boolean {
  const { application_name: as } = (client as unknown as { connectionParameters: { application_name?: string } })
    .connectionParameters;
  return as !== undefined && as.startsWith("headwater") && as !== "headwater migrate";
}

function hear(text: string): void {
  if (texts.has(text)) return;
  texts.add(text);
  if (folder !== undefined) appendFileSync(join(folder, String(process.pid)), `${JSON.stringify(text)}\n`);
}

/** All distinct statements so far: of the run, or of this process where it stands alone. */
export function heard(): string[] {
  if (folder === undefined) return [...texts];
  const lines = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), "utf8").split("\n"));
  return [...new Set(lines.filter((line) => line !== "").map((line) => JSON.parse(line) as string))];
}
