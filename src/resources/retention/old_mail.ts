// Deletes e-mails that are older than their organization keeps mail: with the files that only they have, with threads and conversations
// that have no message left, and with what the log says about their contents.
import { type Ctx, query } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { email } from "../activities/email.ts";
import { deleteEmpty } from "../conversations/delete_empty.ts";
import { removeFiles } from "../files/remove_files.ts";
import { usedAmong } from "../files/used_files.ts";
import { deleteProspects } from "../inbox/delete_prospects.ts";
import { deletedNow, forgetContents } from "../shared/forget_contents.ts";
import { finished, isOldMail, isOldProspect } from "./what_is_old.ts";

type Email = Row<typeof email>;

/** The most e-mails of one transaction. */
const most = 50;

/** Deletes some. Returns whether there may be more. */
export async function deleteOldMail(ctx: Ctx, before: Date): Promise<boolean> {
  const found = await query(
    ctx,
    statement(sql`select t.id from activity t where t.organization_id = ${ctx.organization_id} and ${isOldMail(before)}
      order by t.activity_at limit ${most}`),
  );
  const gone: Email[] = [];
  for (const [id] of found) gone.push(...(await deleteOne(ctx, id!)));
  await deleteEmpty(ctx, [...new Set(gone.flatMap(({ conversation_id }) => conversation_id ?? []))]);
  await deleteFilesOf(ctx, gone);
  const ids = [...gone.map(({ id }) => id), ...(await deletedNow(ctx))];
  if (ids.length > 0) forgetContents(ctx, ids);
  return found.length === most;
}

/** By the rules of e-mails. Meanwhile somebody may have deleted it, or taken it back to write it anew. */
async function deleteOne(ctx: Ctx, id: string): Promise<Email[]> {
  try {
    const row: Email = await ctx.registry.verb(email, "lock")(ctx, id);
    if (!(finished as readonly string[]).includes(row.status)) return [];
    await ctx.registry.verb(email, "delete")(ctx, row);
    return [row];
  } catch (error) {
    if ((error as { status?: unknown }).status === 404) return [];
    throw error;
  }
}

/** What somebody has given a purpose, or something else names too, stays. */
async function deleteFilesOf(ctx: Ctx, gone: readonly Email[]): Promise<void> {
  const ids = [...new Set(gone.flatMap(({ attachments }) => attachments.flatMap(({ file_id }) => file_id ?? [])))];
  if (ids.length === 0) return;
  const used = await usedAmong(ctx, ids);
  const rows = await query(
    ctx,
    statement(sql`select t.id from file t where t.organization_id = ${ctx.organization_id} and t.id = any(${ids})
      and t.lead_id is not null and t.subtype is null and t.outreach_channel is null and not t.is_system`),
  );
  await removeFiles(
    ctx,
    rows.map(([id]) => id!).filter((id) => !used.has(id)),
  );
}

/** The same for mail of strangers: their files go with them. */
export async function deleteOldProspects(ctx: Ctx, before: Date): Promise<boolean> {
  const ids = await deleteProspects(ctx, isOldProspect(before), most);
  if (ids.length > 0) forgetContents(ctx, ids);
  return ids.length === most;
}
