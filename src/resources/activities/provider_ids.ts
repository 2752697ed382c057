// The provider's ids of texts, messages and calls. The provider stores no id of ours, so one that is looked up is known by being
// no other record's.
import { type Ctx, query } from "../../core/context.ts";
import { sql, statement } from "../../db/sql.ts";

/** Those of the ids that a record has already. */
export async function knownAmong(ctx: Ctx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await query(
    ctx,
    statement(sql`select provider_id from activity where organization_id = ${ctx.organization_id} and provider_id = any(${ids})`),
  );
  return new Set(rows.map(([id]) => id!));
}
