// Who sees and writes which templates: members their own and the shared ones. Admins also read the templates of former members.
import { type Ctx, may } from "../../core/context.ts";
import { notAllowed } from "../../core/errors.ts";
import { boolean, label, ref } from "../../core/field.ts";
import { name, or, type Sql, sql } from "../../db/sql.ts";

/** The fields of every template about its owner. */
export const ownership = {
  is_shared: boolean({ default: false, doc: "If true, everybody may use it. Otherwise only its owner sees it." }),
  user_id: ref(
    "user",
    { onDelete: "keep", onMove: "clear" },
    { readOnly: true, default: (ctx: Ctx) => ctx.actor.user_id, doc: "Its owner, who created it." },
  ),
  user_name: label("user_id", "user", "name"),
};

export function templateIsVisible(ctx: Ctx, alias: string): Sql {
  const t = name(alias);
  const left = sql`not exists (select from membership m
    where m.organization_id = ${ctx.organization_id} and m.user_id = ${t}.user_id and m.status <> 'inactive')`;
  return or([sql`${t}.is_shared`, sql`${t}.user_id = ${ctx.actor.user_id}`, ...(may(ctx, "manage_organization") ? [left] : [])]);
}

/** Refuses changes to somebody else's template. */
export function checkMayWrite(ctx: Ctx, template: { user_id: string | null }): void {
  if (template.user_id !== ctx.actor.user_id && !may(ctx, "manage_team_email_templates"))
    throw notAllowed("manage_team_email_templates");
}
