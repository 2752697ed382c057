// The contacts of a mailing export: the results of a search query, or of simple conditions on contacts and their leads.
import { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { below, invalid } from "../../core/errors.ts";
import type { Resource } from "../../core/resource.ts";
import { scope } from "../../core/resource.ts";
import { and, name, type Sql, sql, statement } from "../../db/sql.ts";
import { find } from "../../search/find.ts";
import { readQuery } from "../../search/nodes.ts";
import { reasons } from "../../values/reasons.ts";
import { parseTimestamp } from "../../values/time.ts";
import { readSelection } from "../shared/selection.ts";

const filters = z.strictObject({
  query: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
  lead_status_id: z.string().optional(),
  contact_ids: z.array(z.string().max(64)).min(1).max(1000).optional(),
  contact_list_id: z.string().optional(),
  lead_list_id: z.string().optional(),
  tag: z.string().optional(),
  has_email: z.boolean().optional(),
  owner_id: z.string().optional(),
  date_created__gte: z
    .string()
    .transform((raw, check) => {
      const value = parseTimestamp(raw);
      if (value === null) check.addIssue({ code: "custom", message: "must be a time such as 2026-01-02T03:04:05.678Z" });
      return value as string;
    })
    .optional(),
});

/** The conditions on contacts `t` for an export's filters. Errors name places below `filters`. */
export async function audience(ctx: Ctx, given: unknown): Promise<Sql[]> {
  const read = filters.safeParse(given, { reportInput: true });
  if (!read.success) throw invalid(reasons(read.error, "filters"));
  const { query: search, lead_status_id, owner_id, lead_list_id, contact_list_id, tag, has_email, date_created__gte } = read.data;
  const { contact_ids } = read.data;
  const contact = ctx.registry.resource("contact")!;
  const conditions = scope(ctx, contact);
  if (lead_status_id !== undefined) conditions.push(leadHas(ctx, sql`l.status_id = ${lead_status_id}`));
  if (owner_id !== undefined) conditions.push(leadHas(ctx, sql`l.owner_id = ${owner_id}`));
  if (lead_list_id !== undefined) conditions.push(memberOf(ctx, "lead", "lead_id", lead_list_id));
  if (contact_ids !== undefined) conditions.push(sql`t.id = any(${contact_ids})`);
  if (contact_list_id !== undefined) conditions.push(memberOf(ctx, "contact", "id", contact_list_id));
  if (tag !== undefined) conditions.push(sql`t.tags @> ${[tag]}`);
  if (has_email !== undefined) conditions.push(has_email ? sql`t.email_keys <> '{}'` : sql`t.email_keys = '{}'`);
  if (date_created__gte !== undefined) conditions.push(sql`t.date_created >= ${date_created__gte}`);
  if (search !== undefined) conditions.push(await searched(ctx, contact, search));
  return conditions;
}

const leadHas = (ctx: Ctx, condition: Sql): Sql =>
  sql`exists (select from lead l where l.organization_id = ${ctx.organization_id} and l.id = t.lead_id and ${condition})`;

const memberOf = (ctx: Ctx, kind: "lead" | "contact", column: "lead_id" | "id", listId: string): Sql =>
  sql`exists (select from ${name(`${kind}_list_member`)} m where m.organization_id = ${ctx.organization_id}
    and m.${name(`${kind}_id`)} = t.${name(column)} and m.list_id = ${listId})`;

async function searched(ctx: Ctx, contact: Resource, given: string | Record<string, unknown>): Promise<Sql> {
  const { s_query, query: text } = await below("filters", () => readSelection(ctx, contact, { query: given }));
  if (text !== null) return contact.filters!.query!.sql(ctx, text, "t", true);
  return (await find(ctx, contact, readQuery(s_query).query!, { whole: true })).condition;
}

/** How many contacts an export would have. */
export async function countAudience(ctx: Ctx, given: unknown): Promise<number> {
  const conditions = await audience(ctx, given);
  const [row] = await query(ctx, statement(sql`select count(*) from contact t where ${and(conditions)}`));
  return Number(row![0]);
}

/** Selects the contact and its place in the order of the export. */
export const selectAudience = async (ctx: Ctx, given: unknown): Promise<Sql> =>
  sql`select t.id, row_number() over (order by t.id) as ord from contact t where ${and(await audience(ctx, given))}`;
