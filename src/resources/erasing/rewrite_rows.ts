// Looks through every table of the organization for traces of the person, some thousand rows at a time, and replaces them. The tables are
// read from the database's catalog, so a new table needs nothing here.
import { createHash } from "node:crypto";
import { type Ctx, query, write } from "../../core/context.ts";
import { kindOf, type Resource, type Row } from "../../core/resource.ts";
import { join, name, or, raw, type Sql, sql, statement } from "../../db/sql.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { escapeHtml } from "../../values/html.ts";
import { same } from "../../values/same.ts";
import { erasedAddress, unsubscribedEmail } from "../contacts/unsubscribed_email.ts";
import { isMarkup, shownBy } from "./readings/markup.ts";
import { erased, type Traces } from "./traces.ts";

/** A table of tenants, with the columns that may hold words. */
export interface Table {
  name: string;
  /** The columns of its primary key beside the organization. */
  key: Column[];
  columns: Column[];
}

interface Column {
  name: string;
  type: string;
  /** No two rows have the same. */
  isUnique?: boolean;
}

/** A part of a table. With `plain`, what the rules of its records left is replaced too. */
interface Extent {
  /** The key of the row before. */
  after: string[] | null;
  most: number;
  plain: boolean;
}

interface Piece {
  /** The key of the last row that was looked at; null at the end of the table. */
  after: string[] | null;
  seen: number;
  rewritten: number;
}

/** Rows of these are only kept to answer or to undo once more: a row with a trace is removed. */
const passing: ReadonlySet<string> = new Set(["idempotency_key", "kept_removal", "enrichment_answer"]);

export async function tablesWithWords(ctx: Ctx): Promise<Table[]> {
  const rows = await query(ctx, { text: tablesQuery, values: [] });
  return rows.flatMap(([table, key, columns]) =>
    columns === null ? [] : [{ name: table!, key: JSON.parse(key!) as Column[], columns: JSON.parse(columns!) as Column[] }],
  );
}

/** Looks at the next rows of a table. */
export async function rewriteSome(ctx: Ctx, table: Table, extent: Extent, traces: Traces): Promise<Piece> {
  const rows = await nextRows(ctx, table, extent, traces);
  const hits = rows.filter((row) => row.at(-1) === "t").map((row) => row.slice(0, -1) as string[]);
  const rewritten = hits.length === 0 ? 0 : await rewrite(ctx, table, hits, traces, extent.plain);
  const isEnd = rows.length < extent.most;
  return { after: isEnd ? null : (rows.at(-1)!.slice(0, -1) as string[]), seen: rows.length, rewritten };
}

async function nextRows(ctx: Ctx, table: Table, { after, most }: Extent, { hints, candidates }: Traces) {
  const key = join(
    table.key.map((column) => sql`t.${name(column.name)}`),
    ", ",
  );
  const begin = after === null ? sql`true` : sql`(${key}) > ${keyOf(table, after)}`;
  const holds = or(
    table.columns.map((column) => {
      const text = sql`t.${name(column.name)}::text`;
      return sql`(${text} ~* ${hints} and ${text} ~* ${candidates})`;
    }),
  );
  return query(
    ctx,
    statement(sql`select ${join(
      table.key.map((column) => sql`t.${name(column.name)}::text`),
      ", ",
    )}, coalesce(${holds}, false)
      from ${name(table.name)} t where t.organization_id = ${ctx.organization_id} and ${begin} order by ${key} limit ${most}`),
  );
}

const keyOf = ({ key }: Table, values: readonly string[]): Sql =>
  sql`(${join(
    key.map(({ type }, i) => sql`${values[i]}::text::${raw(type)}`),
    ", ",
  )})`;

async function rewrite(ctx: Ctx, table: Table, keys: string[][], traces: Traces, plain: boolean): Promise<number> {
  const of = plain ? undefined : resourceOf(ctx, table.name);
  if (of !== undefined)
    return rewriteRecords(
      ctx,
      of,
      keys.map(([id]) => id!),
      traces,
    );
  let rewritten = 0;
  for (const key of keys) rewritten += Number(await rewriteRow(ctx, table, key, traces));
  return rewritten;
}

// --- records ---

/** The resource whose rows are all rows of the table. */
const resourceOf = (ctx: Ctx, table: string): Resource | undefined =>
  ctx.registry.resources.find((one) => one.table === table && one.only === undefined);

/** Records change by the front door's way of writing: with an event, their words for the search, and what is rendered. */
async function rewriteRecords(ctx: Ctx, of: Resource, ids: readonly string[], traces: Traces): Promise<number> {
  const rows = await lockToChange(ctx, of, sql`t.id = any(${ids})`);
  let rewritten = 0;
  for (const [kind, alike] of Map.groupBy(rows, (row) => kindOf(of, row)))
    for (const before of kind === of ? alike : await wholeRows(ctx, kind, alike))
      rewritten += Number(rewriteRecord(ctx, kind, before, traces));
  return rewritten;
}

/** The resource that holds all rows of a shared table has only some of their columns. */
const wholeRows = (ctx: Ctx, kind: Resource, rows: readonly Row<Resource>[]): Promise<Row<Resource>[]> =>
  lockToChange(ctx, kind, sql`t.id = any(${rows.map(({ id }) => id)})`);

/** Returns whether it held a trace. */
function rewriteRecord(ctx: Ctx, of: Resource, before: Row<Resource>, traces: Traces): boolean {
  const values = withoutTraces(of, before, traces);
  if (Object.keys(values).length === 0) return false;
  try {
    store.update(ctx, of, before, values);
    return true;
  } catch {
    // What its own rules cannot write is replaced in place by the second round. One row does not stop the others.
    return false;
  }
}

function withoutTraces(of: Resource, row: Row<Resource>, traces: Traces): Record<string, unknown> {
  const words = of.columns.filter(([, { type, ref, choices, derive }]) => types.has(type) && !ref && !choices && !derive);
  return Object.fromEntries(
    words.flatMap(([key]) => {
      const value = row[key];
      const after = valueWithout(value, traces);
      if (same(value, after)) return [];
      const isSuppression = of === unsubscribedEmail && key === "address";
      return [[key, isSuppression ? erasedAddress(row.organization_id, String(value)) : after]];
    }),
  );
}

const types: ReadonlySet<string> = new Set(["text", "texts", "json"]);

// --- other rows ---

/** Returns whether the row held a trace. */
async function rewriteRow(ctx: Ctx, table: Table, key: string[], traces: Traces): Promise<boolean> {
  const here = sql`t.organization_id = ${ctx.organization_id} and (${join(
    table.key.map((column) => sql`t.${name(column.name)}`),
    ", ",
  )}) = ${keyOf(table, key)}`;
  const columns = join(
    table.columns.map((column) =>
      column.type === "text[]" ? sql`to_json(t.${name(column.name)})::text` : sql`t.${name(column.name)}::text`,
    ),
    ", ",
  );
  const [row] = await query(ctx, statement(sql`select ${columns} from ${name(table.name)} t where ${here} for update`));
  const found = table.columns.flatMap((column, i) => {
    const text = row?.[i];
    if (text === null || text === undefined) return [];
    const after = textWithout(column, text, traces, key);
    return after === text ? [] : [{ column, after }];
  });
  if (found.length === 0) return false;
  // A search finds no words that are gone. Here nothing makes them anew.
  for (const column of table.columns)
    if (column.type === "tsvector" && !found.some((one) => one.column === column)) found.push({ column, after: "" });
  const isKey = found.some(({ column }) => table.key.some(({ name }) => name === column.name));
  if (isKey || passing.has(table.name)) write(ctx, statement(sql`delete from ${name(table.name)} t where ${here}`));
  else
    write(
      ctx,
      statement(
        sql`update ${name(table.name)} t set ${join(
          found.map(({ column, after }) => sql`${name(column.name)} = ${setTo(column, after)}`),
          ", ",
        )} where ${here}`,
      ),
    );
  return true;
}

const setTo = ({ type }: Column, after: string | null): Sql =>
  type === "text[]" ? sql`array(select json_array_elements_text(${after}::text::json))` : sql`${after}::text::${raw(type)}`;

/** The same text when it has no trace. */
function textWithout({ type, isUnique }: Column, text: string, traces: Traces, key: readonly string[]): string {
  if (type === "tsvector") return traces.isIn(text) ? "" : text;
  if (type === "text") return stringWithout(text, traces, isUnique ? `${erased} ${hashOf(key.join("/"))}` : erased);
  const value = JSON.parse(text);
  const after = valueWithout(value, traces);
  return same(value, after) ? text : JSON.stringify(after);
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

// --- values ---

/** A value without traces. An entry of a list that was nothing but an address or a number of the person goes. */
export function valueWithout(value: unknown, traces: Traces): unknown {
  if (typeof value === "string") return stringWithout(value, traces);
  if (Array.isArray(value)) return value.map((one) => valueWithout(one, traces)).filter((one, i) => !isGone(one, value[i]));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [traces.without(key), valueWithout(one, traces)]));
}

/** Where HTML shows what its source does not have in one piece, the text that it shows takes its place. */
function stringWithout(text: string, traces: Traces, instead?: string): string {
  const after = traces.without(text, instead);
  if (!isMarkup(after)) return after;
  const shown = shownBy(after);
  return traces.isIn(shown) ? escapeHtml(traces.without(shown, instead)) : after;
}

const points = ["email", "phone", "address", "url"];

function isGone(after: unknown, before: unknown): boolean {
  if (typeof after === "string") return after === erased && before !== erased;
  if (after === null || typeof after !== "object") return false;
  return points.some((point) => (after as Record<string, unknown>)[point] === erased);
}

// Ids of records and of the organization hold no words. A table of one row for each organization has no other key.
const tablesQuery = `
  select c.relname,
    (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null)) order by array_position(k.conkey, a.attnum))
     from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = any(k.conkey) and (a.attname <> 'organization_id' or cardinality(k.conkey) = 1)
     where k.conrelid = c.oid and k.contype = 'p'),
    (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null), 'isUnique', exists (
       select from pg_index x where x.indrelid = c.oid and x.indisunique and a.attnum = any(x.indkey))) order by a.attnum)
     from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attname not in ('organization_id', 'id')
       and a.attgenerated = '' and format_type(a.atttypid, null) in ('text', 'text[]', 'json', 'jsonb', 'tsvector'))
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname not in ('erasure', 'stored_bytes_removal')
    and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped)
  order by c.relname`;
