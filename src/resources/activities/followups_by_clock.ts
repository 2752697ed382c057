// An e-mail that nobody has answered by its follow-up date makes a task of it, once for each date.
import { type Ctx, write } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { raw, sql, statement } from "../../db/sql.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { isActiveMember } from "../organization/user.ts";
import { followUpBy } from "../sequences/follow_up.ts";
import { createSystemTask } from "../tasks/system_task.ts";
import { email } from "./email.ts";
import { contactsWith } from "./placing.ts";
import { people } from "./recipients.ts";

type Email = Row<typeof email>;

export const unansweredMail: Due<typeof email> = {
  of: email,
  when: (now) =>
    sql`t.followup_date <= ${now}::timestamptz and t.status = 'sent' and not t.has_reply and t.followup_made_at is null`,
  since: raw("t.followup_date"),
  async act(ctx, rows) {
    for (const mail of rows) if (!(await followUpInSequence(ctx, mail))) followUp(ctx, mail);
    const ids = rows.map(({ id }) => id);
    write(
      ctx,
      statement(
        sql`update activity set followup_made_at = ${ctx.now} where organization_id = ${ctx.organization_id} and id = any(${ids})`,
      ),
    );
  },
};

/** False when it names no sequence, or nobody could be taken into it. */
async function followUpInSequence(ctx: Ctx, mail: Email): Promise<boolean> {
  const { followup_sequence_id: sequence_id, followup_sequence_delay: delay, contact_id, lead_id, cc, bcc } = mail;
  const by = mail.user_id ?? mail.created_by;
  if (sequence_id === null || by === null || !isActiveMember(ctx.directory, by)) return false;
  const copied = mail.followup_sequence_add_cc_bcc ? people([cc, bcc].flat()).map((one) => one.email) : [];
  const others = copied.length === 0 ? [] : (await contactsWith(ctx, copied)).filter((one) => one.lead_id === lead_id);
  const contact_ids = [...new Set([contact_id ?? [], others.map(({ id }) => id)].flat())];
  const start_date = new Date(ctx.now.getTime() + (delay ?? 0) * 1000).toISOString();
  return followUpBy(ctx, { sequence_id, contact_ids, by, start_date });
}

/** The member who sent it gets the task. Nobody does if that member has left. */
function followUp(ctx: Ctx, { id, lead_id, contact_id, subject, user_id, created_by }: Email): void {
  const assigned_to = user_id ?? created_by;
  if (assigned_to === null || !isActiveMember(ctx.directory, assigned_to)) return;
  createSystemTask(ctx, {
    _type: "email_followup",
    lead_id,
    contact_id,
    assigned_to,
    text: subject === "" ? "Nobody has answered your e-mail" : `Nobody has answered: ${subject}`,
    object_type: "activity.email",
    object_id: id,
  });
}
