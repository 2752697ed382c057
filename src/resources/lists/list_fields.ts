// What lists of contacts and lists of leads have in common, and how records find the lists they are on.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { boolean, type Related, related, text } from "../../core/field.ts";
import type { Filter } from "../../core/search.ts";
import { empty, name, type Sql, sql } from "../../db/sql.ts";
import { readValues } from "../../records/comparisons.ts";
import { leadIsVisible, visibleAsLead } from "../leads/visibility.ts";

/** The kinds of record that can be on a list. */
export type Listed = "contact" | "lead";

/** The source of lists that were created here. */
export const internal = "internal";

const tableOf = (of: Listed): Sql => name(`${of}_list_member`);

export const listFields = (of: Listed) => ({
  name: text({ required: true, doc: "Unique among the lists, ignoring case." }),
  source: text({ readOnly: true, default: internal, doc: "`internal`, or where it was copied from." }),
  description: text({ max: 10_000 }),
  is_read_only: boolean({ readOnly: true, default: false, doc: "Managed by its source; it cannot be changed by hand." }),
  member_count: related(z.int(), (t, ctx) => memberCount(ctx, of, sql`${name(t)}.id`), `How many ${of}s are on it.`, {
    always: true,
  }),
});

/** How many of the records on a list the caller sees. */
export function memberCount(ctx: Ctx, of: Listed, list: Sql): Sql {
  const visible = of === "lead" ? leadIsVisible(ctx, "listed") : visibleAsLead(ctx, "listed");
  const hasSeen =
    visible === null
      ? empty
      : sql`and exists (select from ${name(of)} listed
          where listed.organization_id = ${ctx.organization_id} and listed.id = m.${name(`${of}_id`)} and ${visible})`;
  return sql`(select count(*) from ${tableOf(of)} m where m.organization_id = ${ctx.organization_id} and m.list_id = ${list} ${hasSeen})`;
}

/** The field of a record with its lists. */
export const listIds = (of: Listed): Related =>
  related(
    z.array(z.string()),
    (t, ctx) => sql`(select coalesce(json_agg(m.list_id order by m.list_id), '[]') from ${tableOf(of)} m
      where m.organization_id = ${ctx.organization_id} and m.${name(`${of}_id`)} = ${name(t)}.id)`,
    "The lists it is on.",
  );

/** `list_id` and `list_id__in` of a list of records. */
export function listFilters(of: Listed): Record<string, Filter> {
  const isOn = (ctx: Ctx, alias: string, lists: readonly string[]) =>
    sql`exists (select from ${tableOf(of)} m where m.organization_id = ${ctx.organization_id}
      and m.list_id = any(${lists}::text[]) and m.${name(`${of}_id`)} = ${name(alias)}.id)`;
  return {
    list_id: { doc: `Only ${of}s on this list.`, sql: (ctx, value, alias) => isOn(ctx, alias, [value]) },
    list_id__in: {
      doc: `Only ${of}s on any of these lists, separated by commas.`,
      sql: (ctx, value, alias) => isOn(ctx, alias, readValues(value)),
    },
  };
}
