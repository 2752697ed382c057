// Reads rows of an import, each with the currency that its amounts have.
import type { Ctx } from "../../core/context.ts";
import { madeAt } from "../../values/id.ts";
import { companyDomain } from "../enrichment/company_domain.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { columnsOf, zoneOfImport } from "./columns.ts";
import type { Import, ImportRow } from "./import_rows.ts";
import { knownCurrencies } from "./known_currencies.ts";
import { type Grouped, type ReadRow, readRow, textOf } from "./read_row.ts";

export async function readRows(ctx: Ctx, imp: Import, rows: readonly ImportRow[]): Promise<ReadRow[]> {
  const columns = columnsOf(ctx, imp);
  const known = await knownCurrencies(ctx, imp, columns, rows, (row, target) => textOf(columns, row, target));
  const isOwn = imp.columns.some(
    ({ name, samples }) => name === "id" && samples.some((one) => madeAt(opportunity.prefix, one) !== null),
  );
  const groupOf = grouping(imp);
  const about = { isOwn, width: imp.columns.length, asked: imp.options.currency ?? null, zone: zoneOfImport(ctx, imp) };
  const reads = rows.map((row) => {
    const read = readRow(ctx, columns, row, { ...about, known: known.of(row) });
    if (read.errors.length === 0) known.note(row, read.bodies);
    return read;
  });
  for (const read of reads) read.group = await groupOf(read);
  return reads;
}

/** What the rows of one lead have in common, where an option says it. */
function grouping({ columns, options: { group_by } }: Import): (read: ReadRow) => Promise<Grouped | null> {
  const column = columns.find(({ name }) => name === group_by);
  if (column !== undefined)
    return async ({ row }) => {
      const value = String(row.cells[column.index] ?? "").trim();
      return value === "" ? null : { value, isDomain: false };
    };
  if (group_by !== "email_domain") return async () => null;
  return async ({ bodies, people: [person] }) => {
    const value = await companyDomain([...(person?.emails ?? []), ...(bodies.lead.emails ?? [])]);
    return value === null ? null : { value, isDomain: true };
  };
}
