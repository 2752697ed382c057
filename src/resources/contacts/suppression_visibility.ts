// Who sees which suppressions. Whether an address may be written to is the organization's matter, and sending always asks. But its
// events must not tell addresses to those who do not see these people.
import type { Ctx } from "../../core/context.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { leadIsVisible } from "../leads/visibility.ts";

/** An address of nobody is everybody's. One that contacts have is seen with any of them. */
export function suppressionIsVisible(ctx: Ctx, alias: string): Sql | null {
  const visible = leadIsVisible(ctx, "suppressed_lead");
  if (visible === null) return null;
  const address = sql`${name(alias)}.address`;
  const has = sql`suppressed.organization_id = ${ctx.organization_id}
    and (suppressed.email_keys @> array[${address}] or suppressed.phone_keys @> array[ltrim(${address}, '+')])`;
  return sql`(not exists (select from contact suppressed where ${has})
    or exists (select from contact suppressed join lead suppressed_lead
      on suppressed_lead.organization_id = suppressed.organization_id and suppressed_lead.id = suppressed.lead_id
      where ${has} and ${visible}))`;
}
