// Files a message in one transaction: as an e-mail of the lead, or with the prospect that its sender is.
import type { Ctx } from "../../core/context.ts";
import { emailKey } from "../../values/email.ts";
import { type ArrivedEmail, alsoIn, takeAsSent, writeArrived } from "../activities/arrived_email.ts";
import type { KeptPart } from "../activities/arrived_parts.ts";
import { subjectMax } from "../activities/email.ts";
import { claimIdentity, type Filed, filedOf, lockFiled, noteIdentity } from "../activities/mail_identity.ts";
import { tellOfHiddenMail } from "../activities/notices.ts";
import { person } from "../activities/recipients.ts";
import { hasMessage } from "../inbox/prospect_messages.ts";
import { receiveFromStranger } from "../inbox/receive.ts";
import { followClass, followStranger } from "../mail_class/follow.ts";
import { withoutOurLinks } from "../mail_tracking/quoted.ts";
import { isSystemMail } from "../system_mail/queue.ts";
import { type ArrivedMail, written } from "./arrived.ts";
import { isReport } from "./doubted.ts";
import { type Letter, letterOf, type Placing, placeMail } from "./place_mail.ts";
import type { Source } from "./visit.ts";

/** `check` throws when the message is no longer ours to file. It leaves together with the first queries. */
export async function fileMail(
  ctx: Ctx,
  source: Source,
  mail: ArrivedMail,
  parts: readonly KeptPart[],
  check: (ctx: Ctx) => Promise<void>,
): Promise<void> {
  // Our own digests and invitations come from nobody, whoever has the address that they are sent by.
  if (isSystemMail(ctx, mail.message_id)) return;
  const arrived = letterOf(ctx, source, mail);
  const [filed, placing, body, subject] = await Promise.all([
    filedOf(ctx, [mail.identity]),
    placeMail(ctx, source, arrived),
    withoutOurLinks(ctx, mail.body),
    withoutOurLinks(ctx, { text: mail.subject, html: null }),
    check(ctx),
  ]);
  const letter = { ...arrived, body, subject: subject.text!.slice(0, subjectMax) };
  const { place } = placing;
  const known = filed.get(mail.identity);
  if (known !== undefined && isOther(known, mail)) return fileMail(ctx, source, asAnother(mail), parts, check);
  if (known !== undefined) return fileAgain(ctx, source, letter, parts, placing);
  // Mail between members, or to people whom nobody knows, is private.
  if (place === null && (isAmongUs(letter) || isPast(source, mail))) return;
  if (!(await claimIdentity(ctx, mail.identity, mail.fingerprint))) return fileAgain(ctx, source, letter, parts, placing);

  if (place === null && isReport(mail))
    return void (await followClass(ctx, null, letter.classification, mail.from?.email ?? null));
  await fileFirst(ctx, source, letter, parts, placing);
}

async function fileFirst(ctx: Ctx, source: Source, letter: Letter, parts: readonly KeptPart[], placing: Placing): Promise<void> {
  const { place } = placing;
  if (place === null) return fileWithProspect(ctx, source, letter, parts, placing);
  const arrival = { ...place, parts, isNoAnswer: letter.written_by === null && isAmongUs(letter) };
  const row = await writeArrived(ctx, emailOf(ctx, source, letter), arrival);
  noteIdentity(ctx, letter.identity, row.id);
  await tellOfHiddenMail(ctx, source.owner, row, source.account);
}

/** Some programs give one Message-ID to all that they send. */
const isOther = ({ fingerprint }: Filed, mail: ArrivedMail): boolean => fingerprint !== null && fingerprint !== mail.fingerprint;

const asAnother = (mail: ArrivedMail): ArrivedMail => ({ ...mail, identity: `${mail.identity} ${mail.fingerprint}` });

/** Of a member, or of somebody who says so. */
const isAmongUs = ({ written_by, says_it_is }: Letter): boolean => written_by !== null || says_it_is !== null;

/** Mail of strangers counts from when the mailbox was connected. Servers' times have whole seconds. */
const isPast = ({ account }: Source, { arrived_at }: ArrivedMail): boolean =>
  Date.parse(arrived_at) < Date.parse(account.date_created) - 1000;

/**
 * A message in several mailboxes belongs to all their owners: one e-mail for all, or a prospect for each of them who does not know
 * the sender.
 */
async function fileAgain(ctx: Ctx, source: Source, letter: Letter, parts: readonly KeptPart[], placing: Placing): Promise<void> {
  const { account } = source;
  const id = await lockFiled(ctx, letter.identity);
  if (id !== null) return alsoFiled(ctx, source, letter, id);
  if (placing.place === null && (isReport(letter) || (await hasMessage(ctx, account.id, letter.identity)))) return;
  await fileFirst(ctx, source, letter, parts, placing);
}

/** It may have arrived somewhere before it was certain that a member wrote it. */
async function alsoFiled(ctx: Ctx, { account, owner }: Source, letter: Letter, id: string): Promise<void> {
  const { written_by, says_it_is, from } = letter;
  const found = await alsoIn(ctx, id, account.user_id);
  if (found === null) return;
  const { row: filed, isNews } = found;
  if (isNews) await tellOfHiddenMail(ctx, owner, filed, account);
  if (written_by === null || says_it_is !== written_by || filed.status !== "inbox" || filed.sender === null) return;
  if (emailKey(person(filed.sender).email) === emailKey(from!.email)) await takeAsSent(ctx, filed, written_by);
}

function emailOf(ctx: Ctx, { account }: Source, letter: Letter): ArrivedEmail {
  const { from, sender, to, cc, bcc, reply_to, subject, body, sent_at, message_id, in_reply_to, references, written_by } = letter;
  const { classification, loops } = letter;
  return {
    status: written_by === null ? "inbox" : "sent",
    classification: written_by === null ? classification : null,
    user_id: written_by ?? account.user_id,
    email_account_id: account.id,
    sender: from === null ? null : written(from),
    to: to.map(written),
    cc: cc.map(written),
    bcc: bcc.map(written),
    subject,
    body_text: body.text,
    body_html: body.html,
    date_sent: sent_at,
    message_ids: message_id === null ? [] : [message_id],
    references,
    envelope: {
      from: from === null ? [] : [from],
      sender,
      to,
      cc,
      bcc,
      reply_to,
      date: sent_at,
      subject,
      in_reply_to,
      message_id,
      is_autoreply: classification.class === "auto_reply",
      ...(loops.includes(ctx.organization_id) && { returned: true }),
    },
  };
}

async function fileWithProspect(
  ctx: Ctx,
  source: Source,
  letter: Letter,
  parts: readonly KeptPart[],
  { isHeld }: Placing,
): Promise<void> {
  const { from, to, cc, subject, body, sent_at, identity } = letter;
  const { id: account_id, user_id } = source.account;
  const { id } = await receiveFromStranger(ctx, {
    channel: "email",
    name: from === null ? "No sender" : from.name,
    email: from?.email ?? null,
    phone: null,
    subject,
    body_text: body.text,
    received_at: sent_at,
    message: {
      to: to.map(written),
      cc: cc.map(written),
      attachments: parts.map(({ filename, kept: { mime, size } }) => ({ filename, content_type: mime, size })),
    },
    mail: { user_id, account_id, identity, email: emailOf(ctx, source, letter), parts },
  });
  if (isHeld && from !== null && !isAmongUs(letter))
    await followStranger(ctx, { address: from.email, at: sent_at }, letter.classification, id);
}
