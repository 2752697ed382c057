// What the rows of a long table have to do with each other. A dry run tries some rows at a time, and those together of which one may find
// what another one brings. At first, rows of one key have one label; then labels that have something in common become one.
import { type Ctx, transactionOf, write } from "../../core/context.ts";
import { leadsFound } from "./find_leads.ts";
import type { Import, ImportRow } from "./import_rows.ts";
import { placeNamed } from "./named_records.ts";
import type { ReadRow } from "./read_row.ts";
import { readRows } from "./read_rows.ts";
import { keyOf, plainWords, productSoughtBy, says, seeks, soughtBy } from "./sought.ts";
import { productsMet } from "./take_products.ts";

/** What a row has in common with others; `seeks` is what makes it find them. */
interface Linked {
  key: string | null;
  seeks: string[];
  says: string[];
}

const none: Linked = { key: null, seeks: [], says: [] };

/** Labels rows. Labels are hashes, so that the smallest of several is any of them. */
export async function labelRows(ctx: Ctx, imp: Import, rows: readonly ImportRow[]): Promise<void> {
  const reads = (await readRows(ctx, imp, rows)).filter(({ errors }) => errors.length === 0);
  const linked = await linksOf(ctx, imp, reads);
  const labels = rows.map((row) => ({ n: row.n, ...(linked.get(row.n) ?? none) }));
  write(ctx, {
    name: "import_row.labeled",
    text: `update import_row r set key = md5(coalesce(m.key, 'row ' || m.n)),
             seeks = array(select hashtextextended(one, 0) from unnest(m.seeks) one),
             says = array(select hashtextextended(one, 0) from unnest(m.says) one)
           from json_to_recordset($3::json) m(n integer, key text, seeks text[], says text[])
           where r.organization_id = $1 and r.import_id = $2 and r.n = m.n`,
    values: [ctx.organization_id, imp.id, JSON.stringify(labels)],
  });
}

async function linksOf(ctx: Ctx, imp: Import, reads: readonly ReadRow[]): Promise<Map<number, Linked>> {
  if (imp.object_type === "task") return new Map();
  if (imp.object_type === "product") return linksOfProducts(ctx, imp, reads);
  const { reads: placed } = await placeNamed(ctx, imp, reads);
  const sought = placed.map((read) => soughtBy(imp, read));
  const found = await leadsFound(ctx, imp, sought);
  return new Map(
    placed.map((read, i) => {
      const [one, own] = [sought[i]!, found[i]!.map((id) => `lead:${id}`)];
      return [read.row.n, { key: keyOf(read, one), seeks: [...seeks(imp, read, one), ...own], says: says(read) }];
    }),
  );
}

/** A code is there once, so rows with the same one meet, whatever they are found by. */
async function linksOfProducts(ctx: Ctx, imp: Import, reads: readonly ReadRow[]): Promise<Map<number, Linked>> {
  const sought = reads.map((read) => productSoughtBy(imp, read));
  const found = await productsMet(ctx, reads, sought);
  return new Map(
    reads.map(({ row, bodies: { product } }, i) => {
      const one = sought[i] ?? null;
      const own = found[i]!.map((id) => `product:${id}`);
      const key = one && `${one.by}:${plainWords(one.value)}`;
      const [code, name] = (["code", "name"] as const).map((by) => (product[by] ? [`${by}:${plainWords(product[by])}`] : []));
      return [row.n, { key, seeks: [...(key === null ? [] : [key]), ...code!, ...own], says: [...code!, ...name!] }];
    }),
  );
}

/** Gives labels with something in common the smallest of them, once. Returns whether that may have left others. */
export async function joinLabels(ctx: Ctx, importId: string): Promise<boolean> {
  // Reading a million rows takes seconds, more than other statements may take.
  write(ctx, { text: "set local statement_timeout = '50s'", values: [] });
  const [row] = await transactionOf(ctx).read({
    text: `with links as materialized (
             select r.key, one.what, one.is_sought from import_row r, lateral (
               select unnest(r.seeks) as what, true as is_sought union all select unnest(r.says), false) one
             where r.organization_id = $1 and r.import_id = $2 and r.key is not null),
           shared as (
             select what, min(key) as key from links group by what having bool_or(is_sought) and min(key) <> max(key)),
           moves as (
             select l.key, min(s.key) as to_key from links l join shared s using (what) group by l.key having min(s.key) < l.key),
           moved as (
             update import_row r set key = m.to_key from moves m
             where r.organization_id = $1 and r.import_id = $2 and r.key = m.key returning 1)
           select count(*) from moved`,
    values: [ctx.organization_id, importId],
  });
  return row![0] !== "0";
}
