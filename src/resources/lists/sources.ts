// The sources that lists can be copied from. A source keeps its lists at another service. Known here are the profiles that were
// synced, each with the names of the lists that the person is on.
import { type Ctx, query } from "../../core/context.ts";
import { sql, statement } from "../../db/sql.ts";

export interface ListSource {
  name: string;
  /** The contacts it has on the list of this name, whoever may see them; none where it has no such list. */
  contactsOn(ctx: Ctx, list: string): Promise<string[]>;
}

/** The sources that the operator has named; the first is the default. */
export const sourcesOf = (ctx: Ctx): ListSource[] => ctx.settings.list_sources.map(profilesOf);

const profilesOf = (name: string): ListSource => ({
  name,
  async contactsOn(ctx, list) {
    const wanted = JSON.stringify([{ source: name, list_names: [list] }]);
    const rows = await query(
      ctx,
      statement(sql`select t.id from contact t where t.organization_id = ${ctx.organization_id}
        and t.external_profiles <> '[]' and t.external_profiles @> ${wanted}::jsonb order by t.id for key share of t`),
    );
    return rows.map(([id]) => id!);
  },
});
