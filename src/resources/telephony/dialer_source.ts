// Which leads a dialer has: found once, when it is made, so that their order stays and each comes up once.
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { isId } from "../../core/id.ts";
import { from, type OrderKey, type Row, scope } from "../../core/resource.ts";
import { and, empty, type Sql, sql, statement } from "../../db/sql.ts";
import { BadValue, orderBy, readOrder } from "../../records/list_input.ts";
import { compileQuery } from "../../search/compile.ts";
import { readQuery } from "../../search/nodes.ts";
import { textQuery } from "../../search/text_filter.ts";
import { lead } from "../leads/lead.ts";
import type { dialer } from "./dialer.ts";

type SourceType = Row<typeof dialer>["source_type"];

export interface Given {
  source_type?: SourceType;
  source_value?: string | null;
  query?: Record<string, unknown> | null;
  lead_ids?: string[] | null;
}

/** What is kept of where the leads come from, and the leads: a select of `position`, `lead_id` and `contact_ids`. */
export interface Source {
  values: { source_type: SourceType; source_value: string | null; query: Record<string, unknown> | null };
  leads: Sql;
}

/** A dialer of more is a list nobody works through. */
const leadsMax = 50_000;

export async function readSource(ctx: Ctx, given: Given): Promise<Source> {
  const source_type = typeOf(given);
  const source_value = given.source_value ?? null;
  const leads = source_type === "leads" ? await namedLeads(ctx, given) : await foundLeads(ctx, given, source_value);
  return { values: { source_type, source_value, query: given.query ?? null }, leads };
}

/** Writes the leads of a dialer that is about to be written itself; answers how many there are. */
export async function takeLeads(ctx: Ctx, dialerId: string, { leads }: Source): Promise<number> {
  const [row] = await query(
    ctx,
    statement(sql`with taken as (
        insert into dialer_lead (organization_id, dialer_id, position, lead_id, contact_ids)
        select ${ctx.organization_id}, ${dialerId}, s.position, s.lead_id, s.contact_ids from (${leads} limit ${leadsMax + 1}) s
        returning 1)
      select count(*) from taken`),
  );
  const count = Number(row![0]);
  if (count > leadsMax) throw invalid({ source_value: `finds more than ${leadsMax} leads: narrow it down` });
  return count;
}

/** Says itself, or follows from what is given; nothing at all means all leads. */
function typeOf({ source_type, source_value, query, lead_ids }: Given): SourceType {
  const given = Object.entries({ source_value, query, lead_ids }).filter(([, value]) => value !== undefined && value !== null);
  if (given.length > 1) throw invalid({ [given[1]![0]]: `cannot be given together with ${given[0]![0]}` });
  const implied = lead_ids ? "leads" : "query";
  if (source_type !== undefined && source_type !== implied)
    throw invalid({ source_type: `does not fit what is given: that is a source of type ${implied}` });
  return implied;
}

async function namedLeads(ctx: Ctx, { lead_ids }: Given): Promise<Sql> {
  const ids = [...new Set(lead_ids)];
  const found = await query(
    ctx,
    statement(sql`select t.id from ${from(lead, "t")} where ${and([...scope(ctx, lead), sql`t.id = any(${ids})`])}`),
  );
  const known = new Set(found.map(([id]) => id));
  const unknown = lead_ids!.findIndex((id) => !isId(lead.prefix, id) || !known.has(id));
  if (unknown >= 0) throw invalid({ [`lead_ids.${unknown}`]: "does not exist" });
  return sql`select x.position::integer, x.lead_id, null::text[] as contact_ids
    from unnest(${ids}::text[]) with ordinality x(lead_id, position)`;
}

async function foundLeads(ctx: Ctx, { query: node }: Given, text: string | null): Promise<Sql> {
  const { condition, order } = node ? await byNode(ctx, node) : text === null ? everyLead : await byText(ctx, text);
  const conditions = condition === null ? empty : sql`and (${condition})`;
  return sql`select row_number() over (order by ${orderBy(order)})::integer as position, t.id as lead_id, null::text[] as contact_ids
    from ${from(lead, "t")} where ${and(scope(ctx, lead))} ${conditions} order by 1`;
}

interface Found {
  condition: Sql | null;
  order: readonly OrderKey[];
}

const newestFirst = readOrder(lead, undefined, {});
const everyLead: Found = { condition: null, order: newestFirst };

async function byNode(ctx: Ctx, node: Record<string, unknown>): Promise<Found> {
  const { query: tree, errors } = readQuery(node);
  if (errors !== null) throw invalid(errors);
  try {
    return { condition: await compileQuery(ctx, lead, "t", tree), order: newestFirst };
  } catch (problem) {
    if (!(problem instanceof Error && "fields" in problem)) throw problem;
    const fields = Object.entries(problem.fields as Record<string, string>);
    throw invalid(Object.fromEntries(fields.map(([place, reason]) => [place === "" ? "query" : `query.${place}`, reason])));
  }
}

const leadText = textQuery("lead");

async function byText(ctx: Ctx, text: string): Promise<Found> {
  try {
    return { condition: await leadText.sql(ctx, text, "t", true), order: leadText.order?.(ctx, text) ?? newestFirst };
  } catch (problem) {
    if (problem instanceof BadValue) throw invalid({ source_value: problem.message });
    throw problem;
  }
}
