// Reads rows of an import, each with the currency that its amounts have.
import type { Ctx } from "../../core/context.ts";
import { madeAt } from "../../values/id.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { columnsOf } from "./columns.ts";
import type { Import, ImportRow } from "./import_rows.ts";
import { knownCurrencies } from "./known_currencies.ts";
import { type ReadRow, readRow, textOf } from "./read_row.ts";

export async function readRows(ctx: Ctx, imp: Import, rows: readonly ImportRow[]): Promise<ReadRow[]> {
  const columns = columnsOf(ctx, imp);
  const known = await knownCurrencies(ctx, imp, columns, rows, (row, target) => textOf(columns, row, target));
  const isOwn = imp.columns.some(
    ({ name, samples }) => name === "id" && samples.some((one) => madeAt(opportunity.prefix, one) !== null),
  );
  return rows.map((row) => {
    const about = { isOwn, width: imp.columns.length, known: known.of(row), asked: imp.options.currency ?? null };
    const read = readRow(ctx, columns, row, about);
    if (read.errors.length === 0) known.note(row, read.bodies);
    return read;
  });
}
