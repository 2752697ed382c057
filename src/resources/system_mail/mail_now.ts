// Sends notifications by mail at once, where others wait until they were unread for a while. The mail is a digest of them: it respects
// the member's quiet hours, and whether they want mail.
import { type Ctx, write } from "../../core/context.ts";
import type { Notice } from "../notifications/notify.ts";
import { newMailId, queueMail } from "./queue.ts";

/** The notices were written in this transaction. A service that sends no mail leaves them at that. */
export function mailNow(ctx: Ctx, userIds: Iterable<string>, { type, object_id }: Pick<Notice, "type" | "object_id">): void {
  if (ctx.settings.mail === null) return;
  for (const user_id of userIds) {
    const id = newMailId(ctx);
    queueMail(ctx, id, { kind: "digest", user_id });
    write(ctx, {
      name: "notification.mail_now",
      text: `update notification set system_mail_id = $5, group_key = null
             where organization_id = $1 and user_id = $2 and type = $3 and object_id = $4 and not is_read and system_mail_id is null`,
      values: [ctx.organization_id, user_id, type, object_id, id],
    });
  }
}
