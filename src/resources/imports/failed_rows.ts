// GET /import/{id}/errors/: the failed rows as CSV, to be corrected and imported again.
import { Readable } from "node:stream";
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { Content, operation } from "../../core/operation.ts";
import { getRecord } from "../../records/records.ts";
import { csv, mediaTypes } from "../exports/table.ts";
import { disposition } from "../files/file_name.ts";
import { importResource } from "./import.ts";
import { rowsOf } from "./list_rows.ts";

const pageRows = 1000;

export const failedRows = operation({
  name: "import.errors",
  method: "GET",
  path: "/import/{id}/errors/",
  doc: "Returns the failed rows as CSV with a column `error`, to be corrected and imported again.",
  permission: "member",
  mcp: false,
  input: { id: z.string() },
  output: z.unknown(),
  async run(ctx, { id }) {
    const { columns, name } = await getRecord(ctx, importResource, id);
    const names = columns.map((one) => one.name);
    const bytes = Readable.from(csv([...names, "error"], pages(ctx, id, names.length)));
    const filename = `${name.replace(/\.[^.]*$/, "")} errors.csv`;
    return new Content(mediaTypes.csv, bytes, { "content-disposition": disposition("attachment", filename) });
  },
});

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
