// What all reports have in common: their range, the members whose records they count, the query that narrows them, and the
// response as comma-separated values for clients that prefer that.

import { stringify } from "csv-stringify/sync";
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { below, type FieldErrors, invalid, refuse } from "../../core/errors.ts";
import { Content, type Operation, operation } from "../../core/operation.ts";
import { from, type Resource, scope } from "../../core/resource.ts";
import { and, empty, join, name, raw, type Sql, sql, statement } from "../../db/sql.ts";
import { zoneOf } from "../../records/clock.ts";
import { find } from "../../search/find.ts";
import { readQuery } from "../../search/nodes.ts";
import { resourceOf } from "../../search/relations.ts";
import { isCurrency } from "../../values/money.ts";
import { lead } from "../leads/lead.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { opportunityStatus, type StatusType } from "../opportunities/opportunity_status.ts";
import { pipeline } from "../opportunities/pipeline.ts";
import { group } from "../organization/group.ts";
import { organizationOf, user } from "../organization/organization.ts";
import { type Range, type RelativeRange, rangeInput, readRange, relative, shownRange, showRange } from "./range.ts";

type Shape = Record<string, z.ZodType>;
type Row = Record<string, unknown>;

/** What a report counts, parsed from its body. */
export interface Asked {
  range: Range;
  /** The conditions on records of a kind: organization, visibility, member (by `column`), and the query. */
  records(of: Resource, alias: string, column: string | null): Sql;
  /** True when neither members nor a query narrow it. */
  isWhole: boolean;
  /** The requested members, or null for all. */
  users: ReadonlySet<string> | null;
  /** The currency of all sums. */
  currency: string;
}

interface ReportWords<S extends Shape> {
  /** The path after `/report/`. */
  path: string;
  doc: string;
  input: S;
  output: Shape;
  /** The range when the body names none. */
  range?: RelativeRange;
  /** The rows of the response that are available as a table. The first is the default. */
  tables: Record<string, (answer: any) => readonly object[]>;
  run(ctx: Ctx, given: z.output<z.ZodObject<S>>, asked: Asked): Promise<Row>;
}

const commonInput = {
  ...rangeInput,
  users: z.array(z.string()).max(1000).nullish().describe("Only these members, or the members of these groups; empty for all."),
  query: z.unknown().optional().describe("Only records of the leads or deals that this search finds."),
  currency: z
    .string()
    .optional()
    .describe("The currency of all sums, by default the organization's. Deals in another are counted and not summed."),
};

/** Declares a report: a read by POST, whose response contains the figures and their range. */
export function report<S extends Shape>(words: ReportWords<S>): Operation {
  const { path, doc, input, output, tables, range = "this-month" } = words;
  const names = Object.keys(tables) as [string, ...string[]];
  const table = z.enum(names).default(names[0]).describe("Which rows to return, if the answer is a table (`Accept: text/csv`).");
  return operation({
    name: `report.${path.replace("/", "_")}`,
    method: "POST",
    path: `/report/${path}/`,
    doc,
    permission: "member",
    group: "report",
    scope: "read",
    pastDue: true,
    transaction: false,
    narrows: true,
    input: { ...commonInput, ...(names.length > 1 ? { table } : {}), ...input } as Shape,
    output: z.strictObject({ datetime_range: shownRange, ...output }),
    async run(ctx, given) {
      const asked = await readAsked(ctx, given as Common, range);
      const answer = await words.run(ctx, given as z.output<z.ZodObject<S>>, asked);
      if (prefersCsv(ctx.request.accept?.type)) return csv(path, tables[(given.table as string) ?? names[0]]!(answer));
      return { datetime_range: showRange(asked.range), ...answer };
    },
  });
}

type Common = z.output<z.ZodObject<typeof commonInput>>;

async function readAsked(ctx: Ctx, given: Common, otherwise: RelativeRange): Promise<Asked> {
  const range = readRange(ctx, given) ?? relative(ctx.now, otherwise, zoneOf(ctx.directory, ctx));
  const users = readUsers(ctx, given.users ?? []);
  const narrowed = await readReportQuery(ctx, given.query);
  const currency = given.currency ?? organizationOf(ctx.directory).currency;
  if (!isCurrency(currency)) throw invalid({ currency: "must be a currency code such as USD" });

  const whose = (alias: string, column: string | null) =>
    users === null || column === null ? [] : [sql`${name(alias)}.${name(column)} = any(${[...users]})`];
  return {
    range,
    isWhole: users === null && !given.query,
    users,
    currency,
    records: (of, alias, column) => and([...scope(ctx, of, alias), ...whose(alias, column), ...narrowed(of, alias)]),
  };
}

/** A group stands for its members. An empty list means everybody. */
function readUsers(ctx: Ctx, ids: readonly string[]): ReadonlySet<string> | null {
  const errors: FieldErrors = {};
  const members = ids.flatMap((id, i) => {
    if (ctx.directory.get(user, id) !== undefined) return [id];
    const found = ctx.directory.get(group, id);
    if (found === undefined) errors[`users.${i}`] = "does not exist";
    return found?.user_ids ?? [];
  });
  refuse(errors);
  return ids.length === 0 ? null : new Set(members);
}

// --- the query ---

/**
 * A search for leads narrows a report to the records of those leads. A search for deals narrows it to those deals, and other
 * records to those of the deals' leads.
 */
async function readReportQuery(ctx: Ctx, given: unknown): Promise<(of: Resource, alias: string) => Sql[]> {
  if (given === undefined || given === null) return () => [];
  const { query: tree, errors } = readQuery(given);
  if (errors !== null) throw invalid(errors);
  const nodes = tree.type === "and" && !tree.negate ? tree.queries : [tree];
  const typed = nodes.find((node) => node.type === "object_type" && !node.negate);
  const of = typed?.type === "object_type" ? resourceOf(ctx, typed.object_type) : undefined;
  if (of !== lead && of !== opportunity)
    throw invalid({ query: 'must say what it finds: {"type": "object_type", "object_type": "lead"} or "opportunity"' });

  const { condition } = await below("query", () => find(ctx, of, tree, { alias: "sought", whole: true }));
  const sought = (column: string) =>
    sql`(select sought.${name(column)} from ${from(of, "sought")} where ${and(scope(ctx, of, "sought"))} and (${condition}))`;
  return (counted, alias) => {
    const t = name(alias);
    if (counted === of) return [sql`${t}.id in ${sought("id")}`];
    const leadId = counted === lead ? sql`${t}.id` : sql`${t}.lead_id`;
    return [sql`${leadId} in ${sought(of === lead ? "id" : "lead_id")}`];
  };
}

// --- asking ---

/** One statement that returns several tables. Each row becomes an object with the names of its columns. */
export async function ask<T extends string>(ctx: Ctx, tables: Record<T, Sql>, ctes: Sql = empty): Promise<Record<T, any[]>> {
  const names = Object.keys(tables) as T[];
  const each = names.map((one) => sql`(select ${raw(`'${one}'`)}, to_json(r)::text from (${tables[one]}) r)`);
  const found = Object.fromEntries(names.map((one) => [one, []])) as unknown as Record<T, any[]>;
  const { rows, asOf } = await ctx.db.report(
    ctx.organization_id,
    statement(sql`${ctes} ${join(each, " union all ")}`),
    ctx.asker,
  );
  if (asOf !== null) ctx.reply.headers["x-data-as-of"] = asOf.toISOString();
  for (const [of, row] of rows) found[of as T].push(JSON.parse(row!));
  return found;
}

/** A sum that is zero without rows. */
export const total = (amount: Sql, where: Sql = raw("true")): Sql => sql`coalesce(sum(${amount}) filter (where ${where}), 0)`;

/** The rows of each currency, by its code. */
export const byCurrency = <T>(found: readonly any[], shown: (row: any) => T): Record<string, T> =>
  Object.fromEntries(found.map((row) => [row.currency, shown(row)]));

// --- members ---

export const userName = (ctx: Ctx, id: string | null): string | null => ctx.directory.get(user, id)?.name ?? null;

/**
 * A row for each requested member, or for each active one: their figures, or zeros. Figures of others (former members, or nobody)
 * come after them.
 */
export function perUser<T extends object>(
  ctx: Ctx,
  { users }: Asked,
  found: readonly (T & { user_id: string | null })[],
  nothing: T,
): (T & { user_id: string | null; user_name: string | null })[] {
  const byUser = new Map(found.map((row) => [row.user_id, row]));
  const members = ctx.directory
    .list(user)
    .filter(({ id, status }) => (users === null ? status === "active" : users.has(id)))
    .map(({ id }) => id);
  const ids = [...new Set<string | null>([...members, ...byUser.keys()])];
  return ids.map((user_id) => ({ user_id, user_name: userName(ctx, user_id), ...nothing, ...byUser.get(user_id) }));
}

// --- statuses ---

export interface DealStatus {
  id: string;
  label: string;
  type: StatusType;
  pipeline_id: string;
}

export interface DealPipeline {
  id: string;
  name: string;
  /** In order. */
  statuses: DealStatus[];
}

/** The requested pipeline, or all of them. */
export function pipelinesOf(ctx: Ctx, pipelineId: string | null | undefined): DealPipeline[] {
  const all = ctx.directory.list(opportunityStatus) as readonly DealStatus[];
  const found = ctx.directory.list(pipeline).filter(({ id }) => !pipelineId || id === pipelineId);
  if (found.length === 0 && pipelineId) throw invalid({ pipeline_id: "does not exist" });
  return found.map(({ id, name }) => ({ id, name, statuses: all.filter((one) => one.pipeline_id === id) }));
}

/** The ids of the statuses of a type, or of all. */
export const statusIds = (pipelines: readonly DealPipeline[], type?: StatusType): string[] =>
  pipelines.flatMap(({ statuses }) => statuses.flatMap((one) => (type === undefined || one.type === type ? [one.id] : [])));

export const pipelineInput = {
  pipeline_id: z.string().nullish().describe("Only this pipeline."),
};

// --- tables ---

/** True when the request prefers comma-separated values to JSON. */
export function prefersCsv(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes("text/csv")) return false;
  const ranges = accept.split(",").map((one, i) => {
    const [type = "", ...parameters] = one.split(";").map((part) => part.trim().toLowerCase());
    const q = parameters.find((part) => part.startsWith("q="));
    return { type, i, quality: q === undefined ? 1 : Number(q.slice(2)) || 0 };
  });
  const [best] = ranges
    .filter(({ type, quality }) => quality > 0 && (type === "text/csv" || type === "application/json"))
    .sort((a, b) => b.quality - a.quality || a.i - b.i);
  return best?.type === "text/csv";
}

function csv(path: string, rows: readonly object[]): Content {
  const text = stringify(rows as Row[], { header: rows.length > 0, cast: { string: harmless, boolean: String } });
  const filename = `${path.replace("/", "_")}.csv`;
  return new Content("text/csv; charset=utf-8", text, {
    "content-disposition": `attachment; filename="${filename}"`,
    vary: "accept",
  });
}

/** Programs take a cell with such a beginning for a formula, and run it. Numbers are not text and stay as they are. */
const harmless = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
