// Every minute, finds members with notifications that were unread for ten minutes, and queues one mail for each with all of
// theirs.
import { type MemberToTell, membersToTell } from "../../auth/unscoped_work.ts";
import { transactionOf } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Timer } from "../../jobs/timer.ts";
import { asSystem } from "../../records/acting.ts";
import { newId } from "../../values/id.ts";
import { isQuiet, readSettings } from "../organization/notification_settings.ts";
import { newMailId, queueMail } from "./queue.ts";

const unreadMs = 10 * 60_000;
const dayMs = 24 * 3600 * 1000;

export const digestTimer: Timer = {
  name: "digests",
  doc: "Members get mail about notifications that were unread for ten minutes, where `SMTP_URL` is set.",
  everySeconds: 60,
  async run(core) {
    if (core.settings.mail === null) return;
    const now = core.clock().getTime();
    // Notifications older than a day are no news. A service that was stopped, or could not send mail, does not send them later.
    const moments = { unreadSince: new Date(now - unreadMs), newsSince: new Date(now - dayMs) };
    let last: MemberToTell | null = null;
    for (;;) {
      const page = await membersToTell(core.db, moments, last);
      for (const member of page) if (wantsMail(core, member)) await writeDigest(core, member, moments.newsSince);
      last = page.at(-1) ?? null;
      if (last === null) return;
    }
  },
};

function wantsMail(core: Core, { timezone, notification_settings }: MemberToTell): boolean {
  const settings = readSettings(notification_settings);
  return settings.email && !isQuiet(core.clock(), timezone, settings);
}

/**
 * Younger notifications are included too, so that the next mail can wait. Rows that are locked at the moment wait for the next
 * one.
 */
const writeDigest = (core: Core, { organization_id, user_id }: MemberToTell, newsSince: Date): Promise<void> =>
  asSystem(core, organization_id, { id: newId("req"), method: "", path: "digests" }, async (ctx) => {
    const id = newMailId(ctx);
    const marked = await transactionOf(ctx).read({
      name: "digest.mark",
      text: `with chosen as materialized (
               select id from notification where organization_id = $1 and user_id = $2 and not is_read and system_mail_id is null
                 and type <> 'invited' and date_created > $3 for update skip locked)
             update notification t set system_mail_id = $4, group_key = null from chosen
             where t.organization_id = $1 and t.id = chosen.id returning t.id`,
      values: [organization_id, user_id, newsSince, id],
    });
    if (marked.length > 0) queueMail(ctx, id, { kind: "digest", user_id });
  });
