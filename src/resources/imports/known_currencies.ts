// The currencies of the deals and products that rows are about.
import { type Ctx, query } from "../../core/context.ts";
import { from, scope } from "../../core/resource.ts";
import { and, type Sql, sql, statement } from "../../db/sql.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import type { Body } from "./bodies.ts";
import type { Import, ImportRow } from "./import_rows.ts";
import { moneyFields, type PartWithCurrency } from "./row_currency.ts";
import { looksUp, plainWords } from "./sought.ts";
import type { Target } from "./targets.ts";

interface ColumnOfRow {
  target: Target;
}

/** The currencies of the records that rows are about, by what the rows name them with. */
export interface Known {
  of(row: ImportRow): string | null;
  /** A row of the same record further down finds what this one has written. */
  note(row: ImportRow, bodies: Readonly<Record<PartWithCurrency, Body>>): void;
}

/** Looks up the currencies of the records that rows name, where they have amounts. `textOf` reads the cell for a target. */
export async function knownCurrencies(
  ctx: Ctx,
  imp: Import,
  columns: readonly ColumnOfRow[],
  rows: readonly ImportRow[],
  textOf: (row: ImportRow, target: string) => string | undefined,
): Promise<Known> {
  const part = imp.object_type === "product" ? "product" : "opportunity";
  const isAsked = looksUp(imp) && columns.some(({ target }) => target.type === "money" && target.object_type === part);
  const keyOf = (row: ImportRow): Named | null => (isAsked ? named(imp, (target) => textOf(row, target)) : null);
  const found = await lookUp(
    ctx,
    rows.flatMap((row) => keyOf(row) ?? []),
  );
  return {
    of: (row) => found.get(keyOf(row)?.key ?? "") ?? null,
    note(row, bodies) {
      const [said, key] = [bodies[part][moneyFields[part].currency], keyOf(row)?.key];
      if (key !== undefined && typeof said === "string") found.set(key, said);
    },
  };
}

interface Named {
  by: "id" | "code" | "name";
  value: string;
  key: string;
}

function named({ object_type, options }: Import, text: (target: string) => string | undefined): Named | null {
  const of = (by: Named["by"], value: string | undefined) =>
    value === undefined ? null : { by, value, key: `${by}:${plainWords(value)}` };
  if (object_type !== "product") return of("id", text("opportunity.id"));
  if (options.on_match === "create") return null;
  return (options.match_by === "name" ? null : of("code", text("product.code"))) ?? of("name", text("product.name"));
}

async function lookUp(ctx: Ctx, all: readonly Named[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const [by, some] of Map.groupBy(all, (one) => one.by)) {
    const rows = await query(ctx, statement(searches[by](ctx, [...new Set(some.map(({ value }) => value))])));
    for (const [value, currency] of rows) found.set(`${by}:${plainWords(value!)}`, currency!);
  }
  return found;
}

const products = (ctx: Ctx, values: readonly string[], condition: Sql): Sql =>
  sql`select g.value, t.currency from unnest(${values}::text[]) g(value)
      join product t on t.organization_id = ${ctx.organization_id} and ${condition}`;

const searches: Readonly<Record<Named["by"], (ctx: Ctx, values: readonly string[]) => Sql>> = {
  id: (ctx, values) => sql`select t.id, t.value_currency from ${from(opportunity, "t")}
    where ${and([...scope(ctx, opportunity), sql`t.id = any(${values})`])}`,
  code: (ctx, values) => products(ctx, values, sql`lower(t.code) = lower(g.value)`),
  name: (ctx, values) => products(ctx, values, sql`sort_key(t.name) = sort_key(g.value)`),
};
