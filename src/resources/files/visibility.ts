// Who sees which files: a file of a lead is visible as its lead is. What was exported needs the permission to export. A stranger's
// voicemail to a member's own number is visible only to that member, like the prospect, until it belongs to a lead.
import { type Ctx, may } from "../../core/context.ts";
import { and, name, type Sql, sql } from "../../db/sql.ts";
import { visibleAsLead } from "../leads/visibility.ts";

/** Without a lead, what the service made contains what its author may see. */
export function fileIsVisible(ctx: Ctx, alias: string): Sql {
  const t = name(alias);
  const isExport = sql`exists (select from mailing_export x where x.organization_id = ${ctx.organization_id} and x.file_id = ${t}.id)`;
  const mayRead = may(ctx, "export") ? null : sql`(${t}.lead_id is not null or not ${t}.is_system or not ${isExport})`;
  const isMine = sql`(${t}.private_to is null or ${t}.private_to = ${ctx.actor.user_id})`;
  const asLead = visibleAsLead(ctx, alias);
  const me = ctx.actor.user_id;
  const isOfMyQuote = sql`exists (select from quote q where q.organization_id = ${ctx.organization_id} and q.created_by = ${me}
    and (q.file_id = ${t}.id or q.signed_file_id = ${t}.id))`;
  const isOwn = sql`(${t}.lead_id is not null or not ${t}.is_system or ${t}.created_by = ${me} or ${isOfMyQuote})`;
  return and([isMine, mayRead, asLead, asLead && isOwn].filter((rule) => rule !== null));
}
