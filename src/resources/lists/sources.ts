// The sources that lists can be copied from. A source has its lists at another service. Here it is known by the synced profiles,
// each with the names of the person's lists.
import { type Ctx, query } from "../../core/context.ts";
import { from, scope } from "../../core/resource.ts";
import { and, sql, statement } from "../../db/sql.ts";
import { contact } from "../contacts/contact.ts";

export interface ListSource {
  name: string;
  /** The contacts on the source's list of this name that the caller may see. Empty when there is no such list. */
  contactsOn(ctx: Ctx, list: string): Promise<string[]>;
}

/** The sources that the operator has named. The first is the default. */
export const sourcesOf = (ctx: Ctx): ListSource[] => ctx.settings.list_sources.map(profilesOf);

const profilesOf = (name: string): ListSource => ({
  name,
  async contactsOn(ctx, list) {
    const wanted = JSON.stringify([{ source: name, list_names: [list] }]);
    const rows = await query(
      ctx,
      statement(sql`select t.id from ${from(contact, "t")} where ${and(scope(ctx, contact))}
        and t.external_profiles <> '[]' and t.external_profiles @> ${wanted}::jsonb order by t.id for key share of t`),
    );
    return rows.map(([id]) => id!);
  },
});
