// Rows about products. A product is found by its code, or by its name.
import { type Ctx, query } from "../../core/context.ts";
import type { Resource } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { readCreate, readPatch } from "../../records/input.ts";
import { createRecord, findRecords } from "../../records/records.ts";
import { product } from "../opportunities/product.ts";
import { changeOf } from "./change_of.ts";
import { failedRow, type Import, type Outcome, skippedRow, type Touched } from "./import_rows.ts";
import { errorsOf, type ReadRow } from "./read_row.ts";
import { keepAmounts } from "./row_currency.ts";
import { conflictsOf, onTopOf } from "./settle.ts";
import { type ProductSought, productSoughtBy } from "./sought.ts";

/** What becomes of each of these rows. Products are few, so each is written by itself. */
export async function takeProducts(ctx: Ctx, imp: Import, reads: readonly ReadRow[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const read of reads) {
    try {
      outcomes.push(await takeProduct(ctx, imp, read));
    } catch (problem) {
      outcomes.push(failedRow(read.row, errorsOf(read, "product", problem)));
    }
  }
  return outcomes;
}

async function takeProduct(ctx: Ctx, imp: Import, read: ReadRow): Promise<Outcome> {
  const { options } = imp;
  const { row, bodies } = read;
  const ids = options.match_by === "none" ? [] : await matching(ctx, imp, read);
  if (ids.length > 1) return failedRow(row, [{ error: `fits ${ids.length} products: give each a code` }]);
  if (ids.length === 1 && options.on_match === "skip") return skippedRow(row);
  if (ids.length === 0 || options.on_match === "create") {
    const { input } = readCreate(ctx, product, { params: {}, query: {}, body: bodies.product, strict: false });
    const { id, version } = await createRecord(ctx, product, input);
    return outcomeOf(row.n, "created", id, { of: product.name, id, version });
  }
  const [before] = await findRecords(ctx, product, [sql`t.id = ${ids[0]}`], sql`for update of t`);
  if (before === undefined) return failedRow(row, [{ error: "fits a product that was deleted at this moment" }]);
  const settled = onTopOf(before, bodies.product, conflictsOf(ctx, imp, "product"));
  const patch = readPatch(ctx, product, keepAmounts("product", before, bodies.product, settled), before);
  const after = await ctx.registry.verb(product as Resource, "update")(ctx, before, patch);
  return outcomeOf(row.n, "updated", before.id, changeOf(product, before, after));
}

const outcomeOf = (n: number, status: "created" | "updated", id: string, touched: Touched | null): Outcome => ({
  n,
  status,
  object_ids: [id],
  errors: [],
  key: null,
  kept: touched === null ? [] : [touched],
});

async function matching(ctx: Ctx, imp: Import, read: ReadRow): Promise<string[]> {
  const sought = productSoughtBy(imp, read);
  if (sought === null) return [];
  const { by, value } = sought;
  const condition = by === "code" ? sql`lower(t.code) = lower(${value})` : sql`sort_key(t.name) = sort_key(${value})`;
  const rows = await query(
    ctx,
    statement(sql`select t.id from product t where t.organization_id = ${ctx.organization_id} and ${condition} limit 2`),
  );
  return rows.map(([id]) => id!);
}

/** The ids of the products that each of these rows finds now, and of those that have its code. */
export async function productsMet(
  ctx: Ctx,
  reads: readonly ReadRow[],
  sought: readonly (ProductSought | null)[],
): Promise<string[][]> {
  const codes = reads.map(({ bodies }) => bodies.product.code ?? null);
  const names = sought.map((one) => (one?.by === "name" ? one.value : null));
  const rows = await query(
    ctx,
    statement(sql`select g.i, t.id from rows from (unnest(${codes}::text[]), unnest(${names}::text[])) with ordinality g(code, name, i)
      join product t on t.organization_id = ${ctx.organization_id} and (lower(t.code) = lower(g.code) or sort_key(t.name) = sort_key(g.name))`),
  );
  const found = Map.groupBy(rows, ([i]) => Number(i));
  return sought.map((_, i) => (found.get(i + 1) ?? []).map(([, id]) => id!));
}
