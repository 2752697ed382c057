// GET /import/{id}/errors/: the failed rows as a file like the one they came from, to be corrected and imported again.
import { Readable } from "node:stream";
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { Content, operation } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { getRecord } from "../../records/records.ts";
import { csv, mediaTypes, type Rows } from "../exports/table.ts";
import { disposition } from "../files/file_name.ts";
import { importResource } from "./import.ts";
import { rowsOf } from "./list_rows.ts";
import { entriesOf } from "./mapping.ts";
import type { CellValue } from "./table.ts";

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
    const made = await getRecord(ctx, importResource, id);
    const { columns: all, name, dialect } = made;
    const [columns, errorName] = besideErrors(made);
    const wasJson = dialect?.format === "json" || dialect?.format === "jsonl" || all.some(({ nested }) => nested);
    const kind = format ?? (wasJson ? "jsonl" : "csv");
    const rows = pages(ctx, id, columns);
    const names = [...columns.map((one) => one.name), errorName];
    const bytes = Readable.from(kind === "csv" ? csv(names, rows) : objects(names, new Set(nestedIn(columns)), rows));
    const filename = `${name.replace(/\.[^.]*$/, "")} errors.${kind}`;
    return new Content(mediaTypes[kind], bytes, { "content-disposition": disposition("attachment", filename) });
  },
});

type Import = Row<typeof importResource>;
type Columns = Import["columns"];

/**
 * The columns that are written, and the name of the one for the errors. In a file that was corrected, it takes the place of the one with
 * the errors of before; a column that is used keeps its name.
 */
function besideErrors({ columns, mapping, options }: Import): [Columns, string] {
  const used = new Set([...entriesOf(mapping).map(({ column }) => column), options.group_by]);
  let name = "error";
  for (let count = 2; used.has(name); count++) name = `error ${count}`;
  return [columns.filter((one) => one.name !== name), name];
}

const nestedIn = (columns: Columns): number[] => columns.flatMap(({ nested }, place) => (nested ? [place] : []));

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

async function* pages(ctx: Ctx, importId: string, columns: Columns): AsyncGenerator<CellValue[][]> {
  let after = 0;
  for (;;) {
    const rows = await rowsOf(ctx, importId, { status: "failed", after, limit: pageRows });
    if (rows.length > 0)
      yield rows.map(({ cells, errors }) => [
        ...columns.map(({ index }) => cells[index] ?? null),
        errors.map(({ column, error }) => (column === undefined ? error : `${column}: ${error}`)).join("; "),
      ]);
    if (rows.length < pageRows) return;
    after = rows.at(-1)!.row;
  }
}
