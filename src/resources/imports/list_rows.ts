// GET /import/{id}/rows/: what became of each row.
import { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { operation } from "../../core/operation.ts";
import { empty, sql, statement } from "../../db/sql.ts";
import { pageInput, pageOf, pageTo, readPage } from "../../records/page.ts";
import { getRecord } from "../../records/records.ts";
import { importResource } from "./import.ts";
import { type ImportRow, rowStates } from "./import_rows.ts";

const row = z.strictObject({
  row: z.int().describe("Its number, from 1."),
  status: z.enum(rowStates),
  cells: z.record(z.string(), z.string().nullable()),
  object_ids: z.array(z.string()).describe("The records that it created or changed, and the lead and contact they belong to."),
  errors: z.array(z.object({ column: z.string().optional(), error: z.string() })),
});

export const listRows = operation({
  name: "import.rows",
  method: "GET",
  path: "/import/{id}/rows/",
  doc: "Lists the rows of an import in their order, with what became of each.",
  permission: "member",
  input: { id: z.string(), status: z.enum(rowStates).optional().describe("Only rows with this status."), ...pageInput },
  output: pageOf(row),
  async run(ctx, { id, status, ...given }) {
    const { columns } = await getRecord(ctx, importResource, id);
    const filters = `${id} ${status}`;
    const { limit, skip, after } = readPage(given, filters);
    const found = await rowsOf(ctx, id, { status, after, limit: limit + 1, skip });
    const data = found.slice(0, limit).map(({ cells, ...one }) => ({
      ...one,
      cells: Object.fromEntries(columns.map(({ name }, i) => [name, shown(cells[i])])),
    }));
    return pageTo(data, { has_more: found.length > limit, last: data.at(-1)?.row }, filters);
  },
});

interface Wanted {
  status?: z.output<typeof row>["status"];
  /** Only rows behind this one. */
  after?: number;
  limit: number;
  skip?: number;
}

type Shown = Omit<z.output<typeof row>, "cells"> & Pick<ImportRow, "cells">;

const shown = (cell: ImportRow["cells"][number] | undefined): string | null =>
  typeof cell === "number" ? String(cell) : (cell ?? null);

/** Rows of an import in their order. */
export async function rowsOf(ctx: Ctx, importId: string, { status, after = 0, limit, skip = 0 }: Wanted): Promise<Shown[]> {
  const rows = await query(
    ctx,
    statement(sql`select n, status, cells, to_json(object_ids), errors from import_row
      where organization_id = ${ctx.organization_id} and import_id = ${importId} and n > ${after}
        ${status === undefined ? empty : sql`and status = ${status}`} order by n limit ${limit} offset ${skip}`),
  );
  return rows.map(([n, state, cells, ids, errors]) => ({
    row: Number(n),
    status: state as Shown["status"],
    cells: JSON.parse(cells!),
    object_ids: JSON.parse(ids!),
    errors: JSON.parse(errors!),
  }));
}
