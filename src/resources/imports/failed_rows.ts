// GET /import/{id}/errors/: the failed rows as a file like the one they came from, to be corrected and imported again.
import { Readable } from "node:stream";
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { Content, operation } from "../../core/operation.ts";
import { getRecord } from "../../records/records.ts";
import { csv, mediaTypes, type Rows } from "../exports/table.ts";
import { disposition } from "../files/file_name.ts";
import { importResource } from "./import.ts";
import { rowsOf } from "./list_rows.ts";

const pageRows = 1000;

export const failedRows = operation({
  name: "import.errors",
  method: "GET",
  path: "/import/{id}/errors/",
  doc: "Returns the failed rows with a column `error`, to be corrected and imported again: as CSV, or as JSON lines where the table was JSON.",
  permission: "member",
  mcp: false,
  input: {
    id: z.string(),
    format: z
      .enum(["csv", "jsonl"])
      .optional()
      .describe("By default what the table was: `jsonl` for JSON, and `csv` for all others."),
  },
  output: z.unknown(),
  async run(ctx, { id, format }) {
    const { columns, name, dialect } = await getRecord(ctx, importResource, id);
    const wasJson = dialect?.format === "json" || dialect?.format === "jsonl" || columns.some(({ nested }) => nested);
    const kind = format ?? (wasJson ? "jsonl" : "csv");
    const rows = pages(ctx, id, columns.length);
    const names = [...columns.map((one) => one.name), "error"];
    const bytes = Readable.from(kind === "csv" ? csv(names, rows) : objects(names, new Set(nestedIn(columns)), rows));
    const filename = `${name.replace(/\.[^.]*$/, "")} errors.${kind}`;
    return new Content(mediaTypes[kind], bytes, { "content-disposition": disposition("attachment", filename) });
  },
});

const nestedIn = (columns: readonly { index: number; nested?: true | undefined }[]): number[] =>
  columns.flatMap(({ index, nested }) => (nested ? [index] : []));

/** A row in each line. Cells of JSON are lists and objects again, and what a row did not say is left out. */
async function* objects(names: readonly string[], nested: ReadonlySet<number>, rows: Rows): AsyncGenerator<Buffer> {
  for await (const page of rows) {
    const lines = page.map((cells) => {
      const said = cells.flatMap((cell, i) => (cell === null ? [] : [[names[i]!, nested.has(i) ? parsed(String(cell)) : cell]]));
      return `${JSON.stringify(Object.fromEntries(said))}\n`;
    });
    yield Buffer.from(lines.join(""));
  }
}

/** A column of lists may have texts too. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : text;
  } catch {
    return text;
  }
}

async function* pages(ctx: Ctx, importId: string, width: number): AsyncGenerator<(string | null)[][]> {
  let after = 0;
  for (;;) {
    const rows = await rowsOf(ctx, importId, { status: "failed", after, limit: pageRows });
    if (rows.length > 0)
      yield rows.map(({ cells, errors }) => [
        ...Array.from({ length: width }, (_, i) => cells[i] ?? null),
        errors.map(({ column, error }) => (column === undefined ? error : `${column}: ${error}`)).join("; "),
      ]);
    if (rows.length < pageRows) return;
    after = rows.at(-1)!.row;
  }
}
