// How much system mail an organization sends to people whom its members or customers name: a mail server of others must not be made to write
// to anybody as often as they like.
import { countMailsTo } from "../../auth/unscoped.ts";
import { type Ctx, query } from "../../core/context.ts";

export const hourMs = 3600 * 1000;
/** The most mails of a kind that an organization sends in an hour, and the most that all of them send to one person. */
export const mailsMost = 100;
export const toOneMost = 3;

/** Which of the limits one more mail would pass. Until the commit nobody else counts. */
export async function limitReached(
  ctx: Ctx,
  kind: "invitation" | "signed_quote",
  recipient: string,
): Promise<"to one" | "in all" | null> {
  const since = new Date(ctx.now.getTime() - hourMs);
  if ((await countMailsTo(ctx, kind, recipient, since)) >= toOneMost) return "to one";
  return (await countMailsOf(ctx, kind, since)) >= mailsMost ? "in all" : null;
}

async function countMailsOf(ctx: Ctx, kind: string, since: Date): Promise<number> {
  await query(ctx, {
    name: "system_mail.one_of_all_at_a_time",
    text: "select pg_advisory_xact_lock(hashtextextended('system mail ' || $1 || ' of ' || $2, 0))",
    values: [kind, ctx.organization_id],
  });
  const [row] = await query(ctx, {
    name: "system_mail.sent",
    text: `select count(*) from system_mail
           where organization_id = $1 and kind = $2 and recipient is not null and date_created > $3`,
    values: [ctx.organization_id, kind, since],
  });
  return Number(row![0]);
}
