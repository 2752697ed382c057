// Leads as a read shows them to the caller, with computed fields and their people: what scores and summaries are made from.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { sql } from "../../db/sql.ts";
import { readPage } from "../../records/list.ts";
import { findRecords } from "../../records/records.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { readSort } from "../search/sort.ts";

export type Values = Readonly<Record<string, unknown>>;

export interface ShownLead {
  id: string;
  values: Values;
  /** The people, the oldest first; custom values beside the others, as a read shows them. */
  contacts: readonly Values[];
}

/** No lead has more people than this in a score or a summary. */
const peopleMax = 100;

/**
 * The leads with these ids, in their order, in two statements. Computed fields are read only where they are named. A lead that the
 * caller does not see is refused below `place`.
 */
export async function shownLeads(
  ctx: Ctx,
  ids: readonly string[],
  fields: readonly string[],
  place: string,
): Promise<ShownLead[]> {
  const [page, people] = await Promise.all([
    readPage(ctx, lead, {
      limit: ids.length,
      skip: 0,
      cursor: null,
      fields: [...new Set(["id", "display_name", ...fields])],
      conditions: [sql`t.id = any(${ids})`],
      counted: [],
      expand: [],
      count: null,
      order: readSort(ctx, lead, undefined),
      found: null,
      onePlan: false,
      fingerprint: () => "",
    }),
    peopleOf(ctx, ids),
  ]);
  const shown = new Map(page.records.map(({ id, text }) => [id, JSON.parse(text) as Values]));
  return ids.map((id) => {
    const values = shown.get(id);
    if (values === undefined) throw invalid({ [place]: ids.length === 1 ? "does not exist" : `${id} does not exist` });
    return { id, values, contacts: people.get(id) ?? [] };
  });
}

async function peopleOf(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Values[]>> {
  const rows = await findRecords(
    ctx,
    contact,
    [
      sql`t.id = any(select p.id from unnest(${ids}::text[]) l(id) cross join lateral (
        select c.id from contact c where c.organization_id = ${ctx.organization_id} and c.lead_id = l.id
        order by c.date_created, c.id limit ${peopleMax}) p)`,
    ],
    sql`order by t.date_created, t.id`,
  );
  const people = new Map<string, Values[]>();
  for (const { custom, ...row } of rows) {
    const own = people.get(row.lead_id) ?? [];
    people.set(row.lead_id, [...own, { ...row, ...(custom as Values) }]);
  }
  return people;
}
