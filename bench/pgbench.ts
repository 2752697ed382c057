// Runs `pgbench` with statements that the service itself sent, to measure the database alone.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Statement } from "../src/db/database.ts";
import { type Recorded, searchFor } from "./recorded.ts";

export function hasPgbench(): boolean {
  try {
    execFileSync("pgbench", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Transactions per second of one script. */
export function pgbench(url: string, script: string, { connections, seconds }: { connections: number; seconds: number }): number {
  const folder = mkdtempSync(join(tmpdir(), "headwater-pgbench-"));
  const file = join(folder, "script.sql");
  writeFileSync(file, script);
  try {
    const output = execFileSync(
      "pgbench",
      ["-n", "-M", "prepared", "-c", String(connections), "-j", "1", "-T", String(seconds), "-f", file, url],
      { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
    );
    const [, perSecond] = /tps = ([\d.]+)/.exec(output) ?? [];
    if (perSecond === undefined) throw new Error(`pgbench finished nothing:\n${output}`);
    return Number(perSecond);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The recorded create as one transaction. The database makes the ids, of the same length. */
export function createScript({ create, createdIds }: Recorded): string {
  const statements = create.map((statement) => {
    let text = inlined(statement);
    for (const id of createdIds)
      text = text.replaceAll(id, `' || E'${id.slice(0, id.indexOf("_") + 1)}' || :i${createdIds.indexOf(id)} || E'`);
    return `${text};`;
  });
  const ids = createdIds.map((_, i) => `\\set i${i} random(100000000000000000, 999999999999999999)`);
  return [...ids, "begin;", ...statements, "commit;"].join("\n");
}

export const searchScript = (recorded: Recorded, word: string): string => `${inlined(searchFor(recorded, word))};`;

function inlined({ text, values }: Statement): string {
  return text.replace(/\$(\d+)/g, (_, place: string) => literal(values[Number(place) - 1])).replaceAll("\n", " ");
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `array[${value.map(literal).join(",")}]::text[]`;
  const text = value instanceof Date ? value.toISOString() : String(value);
  // In pgbench, a colon starts a variable.
  const quoted = `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "''").replaceAll(":", "\\x3a")}'`;
  // With an id inserted, the value is text and needs a cast to JSON.
  return /^[[{]/.test(text) ? `(${quoted})::json` : quoted;
}
