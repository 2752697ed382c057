// The records of an export, page by page, as its author may see them.
import { type Ctx, transactionOf } from "../../core/context.ts";
import { from, type Resource, type Row, scope } from "../../core/resource.ts";
import type { OrderKey } from "../../core/search.ts";
import { and, name, type Sql, sql, statement } from "../../db/sql.ts";
import { countRows, readPage } from "../../records/list.ts";
import { type ListInput, readList } from "../../records/list_input.ts";
import { orderBy, readOrder } from "../../records/order.ts";
import { find } from "../../search/find.ts";
import { readQuery } from "../../search/nodes.ts";
import { readSort } from "../search/sort.ts";
import type { exportResource } from "./export.ts";

export type Export = Row<typeof exportResource>;

/** The kind of record in each row. */
export const rowKinds = { leads: "lead", contacts: "contact", lead_opps: "opportunity", opps: "opportunity" } as const;

export const kindOfRows = (ctx: Ctx, { type }: Pick<Export, "type">): Resource => ctx.registry.resource(rowKinds[type])!;

/** What of a kind is exported, and in which order. */
export interface Selected {
  of: Resource;
  conditions: Sql[];
  order: readonly OrderKey[];
  /** The most rows. */
  most: number;
}

type Asked = Pick<Export, "type" | "s_query" | "query" | "params" | "results_limit" | "sort">;

export async function selectedBy(ctx: Ctx, asked: Asked): Promise<Selected> {
  const of = kindOfRows(ctx, asked);
  const most = asked.results_limit ?? Number.MAX_SAFE_INTEGER;
  if (asked.type === "opps") {
    const { conditions, order } = await readList(ctx, of, asked.params);
    return { of, conditions, order, most };
  }
  const lead = ctx.registry.resource("lead")!;
  const conditions = await leadsBy(ctx, lead, asked);
  const order = readSort(ctx, lead, asked.sort);
  if (asked.type === "leads") return { of, conditions, order, most };

  const limit = asked.results_limit === null ? sql`` : sql`order by ${orderBy(order)} limit ${asked.results_limit}`;
  const leads = sql`select t.id from ${name(lead.table)} t where ${and([...scope(ctx, lead), ...conditions])} ${limit}`;
  return {
    of,
    conditions: [sql`t.lead_id in (${leads})`],
    order: readOrder(of, undefined, ctx),
    most: Number.MAX_SAFE_INTEGER,
  };
}

async function leadsBy(ctx: Ctx, lead: Resource, { s_query, query }: Asked): Promise<Sql[]> {
  if (query !== null) return [await lead.filters!.query!.sql(ctx, query, "t", true)];
  if (s_query === null) return [];
  return [(await find(ctx, lead, readQuery(s_query).query!, { whole: true })).condition];
}

export async function countSelected(ctx: Ctx, { of, conditions, most }: Selected): Promise<number> {
  return Math.min(most, await countRows(ctx, of, { counted: conditions, count: "exact" }));
}

export interface ShownRecord {
  id: string;
  /** Its JSON. */
  text: string;
}

/**
 * All of them, as reads show them. `fields` are the wanted ones, null for all ordinary ones. They are found and sorted once: each page
 * by itself would sort all of them anew, which took half an hour for 100,000 leads by name.
 */
export async function* manyPagesOf(
  ctx: Ctx,
  { of, conditions, order, most }: Selected,
  fields: string[] | null,
  size: number,
): AsyncGenerator<ShownRecord[]> {
  const { read } = transactionOf(ctx);
  const limit = most === Number.MAX_SAFE_INTEGER ? sql`` : sql`limit ${most}`;
  await read(
    statement(sql`declare exported no scroll cursor for
      select t.id from ${from(of, "t")} where ${and([...scope(ctx, of), ...conditions])} order by ${orderBy(order)} ${limit}`),
  );
  for (;;) {
    const ids = (await read({ text: `fetch ${size} from exported`, values: [], name: `exported.${size}` })).map(([id]) => id!);
    if (ids.length === 0) break;
    const page = await readPage(ctx, of, {
      ...plain,
      limit: ids.length,
      cursor: null,
      fields,
      order,
      conditions: [sql`t.id = any(${ids})`],
    });
    if (page.records.length > 0) yield page.records;
  }
  await read({ text: "close exported", values: [], name: "exported.close" });
}

/** Some fields of leads, by their ids. */
export async function leadsById(
  ctx: Ctx,
  ids: string[],
  fields: readonly string[],
): Promise<Map<string, Record<string, unknown>>> {
  const of = ctx.registry.resource("lead")!;
  const selected = { of, conditions: [sql`t.id = any(${ids})`], order: readOrder(of, undefined, ctx), most: ids.length };
  const found = new Map<string, Record<string, unknown>>();
  for await (const page of pagesOf(ctx, selected, [...fields], ids.length))
    for (const { id, text } of page) found.set(id, JSON.parse(text));
  return found;
}

/** What belongs to some leads, by their ids. */
export async function ofLeads(ctx: Ctx, kind: string, leadIds: string[]): Promise<Map<string, string[]>> {
  const of = ctx.registry.resource(kind)!;
  const conditions = [sql`t.lead_id = any(${leadIds})`];
  const order = readOrder(of, "date_created", ctx);
  const byLead = new Map<string, string[]>(leadIds.map((id) => [id, []]));
  for await (const page of pagesOf(ctx, { of, conditions, order, most: Number.MAX_SAFE_INTEGER }, null, 1000))
    for (const { text } of page) byLead.get((JSON.parse(text) as { lead_id: string }).lead_id)?.push(text);
  return byLead;
}

/** The same for what is found by the ids of a few leads, where sorting costs little. */
async function* pagesOf(ctx: Ctx, selected: Selected, fields: string[] | null, size: number): AsyncGenerator<ShownRecord[]> {
  const { of, conditions, order } = selected;
  let cursor: ListInput["cursor"] = null;
  for (let left = selected.most; left > 0; ) {
    const page = await readPage(ctx, of, { ...plain, limit: Math.min(size, left), cursor, fields, order, conditions });
    if (page.records.length > 0) yield page.records;
    if (!page.has_more) return;
    cursor = page.last;
    left -= page.records.length;
  }
}

const plain = {
  skip: 0,
  expand: [],
  count: null,
  found: null,
  counted: [],
  onePlan: false,
  fingerprint: () => "",
} as const satisfies Partial<ListInput>;
