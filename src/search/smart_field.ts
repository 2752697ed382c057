// A smart field: a value that is computed from rows around a record, by one correlated expression.
import type { Ctx } from "../core/context.ts";
import { name, raw, type Sql, sql } from "../db/sql.ts";

/** The kinds of value that a search compares. */
export type Kind = "text" | "number" | "boolean" | "timestamp" | "date";

export interface SmartField {
  kind: Kind;
  doc: string;
  /** Its value, over the alias of the record. */
  value: (record: Sql, ctx: Ctx) => Sql;
  /** The resource whose id it is. */
  refersTo?: string;
  /** The rows that it is computed from: their name, their kind, and the value over them. */
  shared?: { name: string; rows: (record: Sql, ctx: Ctx) => Sql; value: (ctx: Ctx) => Sql };
}

export type SmartFields = Readonly<Record<string, SmartField>>;

// --- the rows of a lead in another table ---

export const rowsOf = (ctx: Ctx, table: string, record: Sql, where: Sql): Sql =>
  sql`${name(table)} r where r.organization_id = ${ctx.organization_id} and r.lead_id = ${record}.id and ${where}`;

type Valued = Pick<SmartField, "value" | "shared">;

/** An aggregate over the rows that meet a condition. `as` writes it with the condition that leaves other rows out. */
export const aggregate = (
  table: string,
  as: (ctx: Ctx, where: Sql) => Sql,
  where: (ctx: Ctx) => Sql = () => everything,
): Valued => ({
  value: (record, ctx) => sql`(select ${as(ctx, everything)} from ${rowsOf(ctx, table, record, where(ctx))})`,
  shared: {
    name: `all rows of ${table}`,
    rows: (record, ctx) => rowsOf(ctx, table, record, everything),
    value: (ctx) => as(ctx, where(ctx)),
  },
});

export const count = (table: string, where?: (ctx: Ctx) => Sql): Valued =>
  aggregate(table, (_ctx, met) => sql`count(*) filter (where ${met})`, where);

/** A column of the first row in an order; `called` is the same for all columns of that row. */
export function first(
  called: string,
  table: string,
  column: (ctx: Ctx) => Sql,
  order: (ctx: Ctx) => Sql,
  where: (ctx: Ctx) => Sql,
): Valued {
  const rows = (record: Sql, ctx: Ctx) => sql`${rowsOf(ctx, table, record, where(ctx))} order by ${order(ctx)} limit 1`;
  return {
    value: (record, ctx) => sql`(select ${column(ctx)} from ${rows(record, ctx)})`,
    shared: { name: called, rows, value: column },
  };
}

export const everything = raw("true");
export const always = (condition: Sql) => () => condition;
