// Deletes what is about the person alone: what was said with them, their files, and in the end the contact. Copies of it in the log and
// in the histories of automations lose what it said, also of what was deleted before.
import { type Ctx, query, write } from "../../core/context.ts";
import { from, type Resource, within } from "../../core/resource.ts";
import { and, type Sql, sql, statement } from "../../db/sql.ts";
import { deleteRecord } from "../../records/records.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { phoneDigits } from "../../values/phone.ts";
import { call } from "../activities/call.ts";
import { channelMessage } from "../activities/channel_message.ts";
import { email } from "../activities/email.ts";
import { sms } from "../activities/sms.ts";
import { contact } from "../contacts/contact.ts";
import { conversation } from "../conversations/conversation.ts";
import { enrichment } from "../enrichment/enrichment.ts";
import { file } from "../files/file.ts";
import { removeFiles } from "../files/remove_files.ts";
import { inboxProspect } from "../inbox/inbox_prospect.ts";
import { deletedNow, forgetContents } from "../shared/forget_contents.ts";
import type { Person } from "./person.ts";

/** The most records of one transaction. */
const most = 50;

const ofContact = ({ contact_ids }: Person): Sql => sql`t.contact_id = any(${contact_ids})`;

const fromThem = ({ contact_ids, emails, phones }: Person): Sql =>
  sql`(t.contact_id = any(${contact_ids}) or lower(t.email) = any(${emails})
    or regexp_replace(t.phone, '[^0-9]', '', 'g') = any(${phones.map(phoneDigits)}))`;

interface Kind {
  of: Resource;
  which(person: Person): Sql;
  /** By the rules of its kind, where people delete it too. */
  remove(ctx: Ctx, of: Resource, ids: readonly string[]): Promise<void>;
}

const byItsRules = async (ctx: Ctx, of: Resource, ids: readonly string[]): Promise<void> => {
  for (const id of ids) await deleteRecord(ctx, of, id);
};

/** Also what people only see disappear, such as a conversation. */
const forGood = async (ctx: Ctx, of: Resource, ids: readonly string[]): Promise<void> =>
  store.remove(ctx, of, await lockWhere(ctx, of, sql`t.id = any(${ids})`));

const kinds: readonly Kind[] = [
  { of: email, which: ofContact, remove: byItsRules },
  { of: sms, which: ofContact, remove: byItsRules },
  { of: channelMessage, which: ofContact, remove: byItsRules },
  { of: call, which: ofContact, remove: byItsRules },
  { of: conversation, which: ofContact, remove: forGood },
  { of: file, which: ofContact, remove: async (ctx, _of, ids) => void (await removeFiles(ctx, ids)) },
  { of: enrichment, which: ofContact, remove: forGood },
  { of: inboxProspect, which: fromThem, remove: forGood },
  { of: contact, which: ({ contact_ids }) => sql`t.id = any(${contact_ids})`, remove: byItsRules },
];

/** Deletes some. Returns how many of which kind, or null when nothing is left. */
export async function deleteSome(ctx: Ctx, person: Person): Promise<Record<string, number> | null> {
  for (const { of, which, remove } of kinds) {
    const ids = await idsWhere(ctx, of, which(person));
    if (ids.length === 0) continue;
    await remove(ctx, of, ids);
    forgetCopies(ctx, [...ids, ...(await deletedNow(ctx))]);
    return { [of.name]: ids.length };
  }
  return null;
}

async function idsWhere(ctx: Ctx, of: Resource, condition: Sql): Promise<string[]> {
  const rows = await query(
    ctx,
    statement(sql`select t.id from ${from(of, "t")} where ${and([...within(ctx.organization_id, of, "t"), condition])}
      order by t.id limit ${most}`),
  );
  return rows.map(([id]) => id!);
}

/** What the log, automations, undo and stored answers kept of deleted records. */
function forgetCopies(ctx: Ctx, ids: readonly string[]): void {
  const run = (text: string) => write(ctx, { text, values: [ctx.organization_id, ids] });
  forgetContents(ctx, ids);
  forgetRemovals(ctx, ids);
  run(
    "update import_row set cells = case jsonb_typeof(cells) when 'array' then '[]'::jsonb else '{}'::jsonb end, kept = null where organization_id = $1 and object_ids && $2",
  );
  // An address that others have too is not looked for.
  run("update mailing_export_item set address = null, error = null where organization_id = $1 and contact_id = any($2)");
  run("delete from list_sync_profile where organization_id = $1 and contact_id = any($2)");
  run("update bulk_action_item set kept = null where organization_id = $1 and object_id = any($2)");
}

/** What can be undone holds whole records, and the bytes of their files wait. Both are gone now. */
function forgetRemovals(ctx: Ctx, ids: readonly string[]): void {
  const named = "exists (select from unnest($2::text[]) named where strpos(k.kept::text, named) > 0)";
  const values = [ctx.organization_id, ids];
  write(ctx, {
    text: `update stored_bytes_removal b set due = now() where b.organization_id = $1 and exists (
             select from kept_removal k where k.organization_id = $1 and strpos(k.kept::text, b.storage_key) > 0 and ${named})`,
    values,
  });
  write(ctx, { text: `delete from kept_removal k where k.organization_id = $1 and ${named}`, values });
  write(ctx, {
    text: `delete from idempotency_key i where i.organization_id = $1
           and exists (select from unnest($2::text[]) named where strpos(i.body, named) > 0)`,
    values,
  });
}
