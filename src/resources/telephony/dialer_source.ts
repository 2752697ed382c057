// The leads of a dialer. They are found once, when it is created, so that their order stays and each comes up once.
import { type Ctx, query } from "../../core/context.ts";
import { below, invalid } from "../../core/errors.ts";
import { from, type Resource, type Row, scope } from "../../core/resource.ts";
import { type OrderKey } from "../../core/search.ts";
import { and, empty, type Sql, sql, statement } from "../../db/sql.ts";
import { orderBy, readOrder } from "../../records/order.ts";
import { findRecord } from "../../records/records.ts";
import { find } from "../../search/find.ts";
import { readQuery } from "../../search/nodes.ts";
import { textQuery } from "../../search/text_filter.ts";
import { isId } from "../../values/id.ts";
import { lead } from "../leads/lead.ts";
import { contactList } from "../lists/contact_list.ts";
import { leadList } from "../lists/lead_list.ts";
import { sequence } from "../sequences/sequence.ts";
import type { dialer } from "./dialer.ts";

type Dialer = Row<typeof dialer>;
type SourceType = Dialer["source_type"];

export interface Given
  extends Partial<Pick<Dialer, "source_type" | "source_value" | "query" | "lead_list_id" | "contact_list_id" | "sequence_id">> {
  lead_ids?: string[] | null;
}

/** The stored source of the leads, and the leads: a select of `position`, `lead_id` and `contact_ids`. Calls of sequences join later. */
export interface Source {
  values: Partial<Dialer> & Pick<Dialer, "source_type">;
  leads: Sql | null;
}

/** Nobody would call more leads than this. */
const leadsMax = 50_000;

export async function readSource(ctx: Ctx, given: Given): Promise<Source> {
  const source_type = typeOf(given);
  switch (source_type) {
    case "leads":
      return { values: { source_type }, leads: await namedLeads(ctx, given) };
    case "lead-list":
      return fromList(ctx, given, { source_type, field: "lead_list_id", of: leadList, members: leadsOnList });
    case "contact-list":
      return fromList(ctx, given, { source_type, field: "contact_list_id", of: contactList, members: peopleOnList });
    case "query":
      return { values: { source_type }, leads: await foundLeads(ctx, given) };
    case "sequence-calls":
      return { values: await callsOf(ctx, given), leads: null };
  }
}

/** Writes the leads of a dialer that is about to be written. Returns how many there are. */
export async function takeLeads(ctx: Ctx, dialerId: string, { leads }: Source): Promise<number> {
  if (leads === null) return 0;
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

/** Given, or derived from the other values. Without any, all leads. */
function typeOf({ source_type, source_value, query, lead_list_id, contact_list_id, sequence_id, ...rest }: Given): SourceType {
  // A read shows the leads of a list or a query, and the list beside the value that names it.
  const lead_ids = source_type === undefined || source_type === "leads" ? rest.lead_ids : null;
  const given = Object.entries({ source_value, query, lead_ids, lead_list_id, contact_list_id, sequence_id }).filter(
    ([, value]) => value,
  );
  if (new Set(given.map(([, value]) => value)).size > 1)
    throw invalid({ [given[1]![0]]: `cannot be given together with ${given[0]![0]}` });
  // A value alone shows what it is: the id of a list, or else a text query.
  if (source_value && source_type !== undefined && source_type !== "leads") return source_type;
  if (source_type === "sequence-calls" && given.length === 0) return source_type;
  const isList = (of: Resource, id: string | null | undefined) => id && (!source_value || isId(of.prefix, id));
  const implied = lead_ids
    ? "leads"
    : isList(leadList, lead_list_id ?? source_value)
      ? "lead-list"
      : isList(contactList, contact_list_id ?? source_value)
        ? "contact-list"
        : isList(sequence, sequence_id ?? source_value)
          ? "sequence-calls"
          : "query";
  if (source_type !== undefined && source_type !== implied)
    throw invalid({
      source_type: given[0] ? `does not fit ${given[0][0]}: that is of type ${implied}` : `needs ${needed(source_type)}`,
    });
  return implied;
}

const needed = (type: SourceType): string => (type === "leads" ? "lead_ids" : `${type.replace("-", "_")}_id`);

interface ListSource {
  source_type: SourceType;
  field: "lead_list_id" | "contact_list_id";
  of: Resource;
  members: (ctx: Ctx, id: string) => Sql;
}

async function fromList(ctx: Ctx, given: Given, { source_type, field, of, members }: ListSource): Promise<Source> {
  const id = (given[field] ?? given.source_value)!;
  if ((await findRecord(ctx, of, id)) === null) throw invalid({ [given[field] ? field : "source_value"]: "does not exist" });
  return { values: { source_type, source_value: id, [field]: id }, leads: members(ctx, id) };
}

/** Of one sequence, or of all. */
async function callsOf(ctx: Ctx, { sequence_id, source_value }: Given): Promise<Source["values"]> {
  const id = sequence_id ?? source_value ?? null;
  if (id !== null && (await findRecord(ctx, sequence, id)) === null)
    throw invalid({ [sequence_id ? "sequence_id" : "source_value"]: "does not exist" });
  return { source_type: "sequence-calls", source_value: id, sequence_id: id };
}

/** In the order in which they were put on the list. */
const leadsOnList = (ctx: Ctx, id: string): Sql =>
  sql`select row_number() over (order by m.id)::integer as position, m.lead_id, null::text[] as contact_ids
    from lead_list_member m join ${from(lead, "t")} on t.id = m.lead_id
    where m.organization_id = ${ctx.organization_id} and m.list_id = ${id} and ${and(scope(ctx, lead))} order by 1`;

/** Each lead once, at the place of its first contact. Only contacts on the list are called there. */
const peopleOnList = (ctx: Ctx, id: string): Sql =>
  sql`select row_number() over (order by min(m.id))::integer as position, c.lead_id, array_agg(c.id order by m.id) as contact_ids
    from contact_list_member m join contact c on c.organization_id = m.organization_id and c.id = m.contact_id
      join ${from(lead, "t")} on t.id = c.lead_id
    where m.organization_id = ${ctx.organization_id} and m.list_id = ${id} and ${and(scope(ctx, lead))}
    group by c.lead_id order by 1`;

async function namedLeads(ctx: Ctx, { lead_ids }: Given): Promise<Sql> {
  if (lead_ids!.length === 0) throw invalid({ lead_ids: "must not be empty" });
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

async function foundLeads(ctx: Ctx, { query: node, source_value: text }: Given): Promise<Sql> {
  const { condition, order } = node
    ? await byNode(ctx, node)
    : text
      ? await byText(ctx, text)
      : { condition: null, order: newestFirst(ctx) };
  const conditions = condition === null ? empty : sql`and (${condition})`;
  return sql`select row_number() over (order by ${orderBy(order)})::integer as position, t.id as lead_id, null::text[] as contact_ids
    from ${from(lead, "t")} where ${and(scope(ctx, lead))} ${conditions} order by 1`;
}

interface Found {
  condition: Sql | null;
  order: readonly OrderKey[];
}

const newestFirst = (ctx: Ctx): readonly OrderKey[] => readOrder(lead, undefined, ctx);

async function byNode(ctx: Ctx, node: Record<string, unknown>): Promise<Found> {
  const { query: tree, errors } = readQuery(node);
  if (errors !== null) throw invalid(errors);
  const { condition } = await below("query", () => find(ctx, lead, tree));
  return { condition, order: newestFirst(ctx) };
}

const leadText = textQuery("lead");

const byText = (ctx: Ctx, text: string): Promise<Found> =>
  below("source_value", async () => ({
    condition: await leadText.sql(ctx, text, "t", true),
    order: leadText.order?.(ctx, text) ?? newestFirst(ctx),
  }));
