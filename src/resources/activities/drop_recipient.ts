// E-mails to others that also go to a deleted contact go to the others alone. One that would go to nobody is cancelled.
import { type Ctx, query, userOf } from "../../core/context.ts";
import { sql, statement } from "../../db/sql.ts";
import { lockToChange } from "../../records/references.ts";
import { emailKey } from "../../values/email.ts";
import { contactDeleted } from "./cancelled.ts";
import { email } from "./email.ts";
import { emailThread } from "./email_thread.ts";
import { attemptsWith, hasFailed, hasToWait, type Leaving, releaserOf, tellSender } from "./leaving.ts";
import { people } from "./recipients.ts";
import { refreshThread } from "./threading.ts";

interface Gone {
  id: string;
  lead_id: string;
  emails: readonly { email: string }[];
}

export async function dropFromCopies(ctx: Ctx, contact: Gone): Promise<void> {
  const addresses = contact.emails.length === 0 ? [] : await onlyTheirs(ctx, contact);
  if (addresses.length === 0 || !(await anyWaits(ctx, contact.lead_id))) return;
  const waits = sql`t._type = 'Email' and t.lead_id = ${contact.lead_id} and t.status in ('outbox', 'scheduled') and t.sending_at is null`;
  await lockToChange(
    ctx,
    emailThread,
    sql`t.id in (select t.thread_id from activity t
    where t.organization_id = ${ctx.organization_id} and ${waits})`,
  );
  for (const mail of await lockToChange(ctx, email, waits)) await dropFrom(ctx, mail as unknown as Mail, new Set(addresses));
}

type Mail = Leaving & Record<"to" | "cc" | "bcc", string[]> & { envelope: Record<"to" | "cc" | "bcc", object[]> | null };

async function dropFrom(ctx: Ctx, mail: Mail, addresses: ReadonlySet<string>): Promise<void> {
  const [to, cc, bcc] = (["to", "cc", "bcc"] as const).map((field) =>
    mail[field].filter((one) => !addresses.has(keyOf(one))),
  ) as [string[], string[], string[]];
  const dropped = [...mail.to, ...mail.cc, ...mail.bcc].filter((one) => addresses.has(keyOf(one)));
  if (dropped.length === 0) return;
  const quietly = releaserOf(mail) === userOf(ctx);
  if (to.length === 0 && mail.to.length > 0) return hasFailed(ctx, email, mail, contactDeleted, { quietly });

  const reason = {
    error_class: contactDeleted.error_class,
    error_message: `Not sent to ${[...new Set(dropped)].join(", ")}: the contact was deleted before it was sent`,
  };
  const envelope = mail.envelope && { ...mail.envelope, to: people(to), cc: people(cc), bcc: people(bcc) };
  const send_attempts = attemptsWith(ctx, mail.send_attempts!, [reason]);
  await hasToWait(ctx, email, mail, null, { to, cc, bcc, envelope, send_attempts });
  await refreshThread(ctx, mail.thread_id!);
  if (!quietly) await tellSender(ctx, email, mail, reason);
}

const keyOf = (recipient: string): string => emailKey(people([recipient])[0]!.email);

/** Addresses that somebody else has too are still somebody's. */
async function onlyTheirs(ctx: Ctx, { id, emails }: Gone): Promise<string[]> {
  const keys = emails.map((one) => emailKey(one.email));
  const rows = await query(
    ctx,
    statement(
      sql`select key from unnest(${keys}::text[]) key where not exists (select from contact t
        where t.organization_id = ${ctx.organization_id} and t.email_keys && array[key] and t.id <> ${id})`,
      "contact.only_theirs",
    ),
  );
  return rows.map(([key]) => key!);
}

/** At most leads nothing waits. */
async function anyWaits(ctx: Ctx, leadId: string): Promise<boolean> {
  const rows = await query(ctx, {
    name: "activity.mail_waits_at",
    text: `select 1 from activity where organization_id = $1 and lead_id = $2 and _type = 'Email' and status in ('outbox', 'scheduled') limit 1`,
    values: [ctx.organization_id, leadId],
  });
  return rows.length > 0;
}
