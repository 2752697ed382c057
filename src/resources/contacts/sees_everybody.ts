// Whether the caller sees every contact with one of these e-mail addresses.
import { type Ctx, query } from "../../core/context.ts";
import { sql, statement } from "../../db/sql.ts";
import { contact } from "./contact.ts";

export async function seesEverybodyWith(ctx: Ctx, addresses: readonly string[]): Promise<boolean> {
  const isSeen = contact.visible?.(ctx, "t") ?? null;
  if (isSeen === null || addresses.length === 0) return true;
  const hidden = sql`select from contact t where t.organization_id = ${ctx.organization_id}
    and t.email_keys && ${addresses}::text[] and (${isSeen}) is not true limit 1`;
  return (await query(ctx, statement(hidden))).length === 0;
}
