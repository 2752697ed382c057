// Writes e-mails. An e-mail to be sent is a record in the outbox, written in the transaction of the run: the mailboxes' own machinery
// sends it once at most, and knows whether it may have been sent.
import { userOf } from "../../../core/context.ts";
import { type Sql, sql } from "../../../db/sql.ts";
import { findRecord, findRecords } from "../../../records/records.ts";
import { emailKey } from "../../../values/email.ts";
import { isId } from "../../../values/id.ts";
import { connectedAccount } from "../../accounts/connected_account.ts";
import { sendAs } from "../../accounts/send_as.ts";
import { sendersOf, usualMailbox } from "../../accounts/senders.ts";
import { email } from "../../activities/email.ts";
import { addressLine, asPerson } from "../../activities/recipients.ts";
import { suppressedAmong } from "../../contacts/unsubscribed_email.ts";
import { fileToSend } from "../../files/resolve.ts";
import { user } from "../../organization/user.ts";
import { emailTemplate } from "../../templates/email_template.ts";
import { StepFailure } from "../step_failure.ts";
import type { Call, Outcome } from "./step.ts";
import { type Whom, whom } from "./whom.ts";
import { filledMail, mendable, type Reader, readerAt, templateOf } from "./wording.ts";
import { createOf, idOf } from "./writing.ts";

export async function sendEmail(call: Call): Promise<Outcome> {
  const to = await mailable(call, call.config.to);
  const reason = await whyNobody(call, to);
  if (reason !== null) return { port: "suppressed", output: { reason, to: linesOf(to) } };
  return writeEmail(call, to, "outbox");
}

export const draftEmail = async (call: Call): Promise<Outcome> => writeEmail(call, await mailable(call, call.config.to), "draft");

async function writeEmail(call: Call, to: readonly Whom[], status: "outbox" | "draft"): Promise<Outcome> {
  const { config, run } = call;
  const person = to.find((one) => one.person !== null)?.person ?? null;
  const lead_id = person?.lead_id ?? run.lead_id;
  const copies = [await mailable(call, config.cc ?? []), await mailable(call, config.bcc ?? [])].map(linesOf);
  return mendable(call, async () => {
    const reader = await readerAt(call, lead_id, person);
    const answered = await answeredBy(call, reader);
    const { subject, ...letter } = await letterOf(call, reader);
    const body = {
      ...letter,
      ...(answered === null ? { subject: subject.slice(0, 1000) } : { in_reply_to_id: answered }),
      ...senderOf(call, config.from),
      lead_id: reader.at.id,
      contact_id: person?.id ?? null,
      to: linesOf(to),
      cc: copies[0],
      bcc: copies[1],
      status,
    };
    const made = await createOf(call, "activity_email", body);
    if (status === "outbox") await checkMailbox(call);
    const words = { subject, body: "body_html" in letter ? letter.body_html : letter.body_text };
    return { output: { ...idOf(made), to: body.to }, input: { ...config, ...words } };
  });
}

// --- recipients ---

const mailable = (call: Call, given: unknown): Promise<Whom[]> => whom(call, given, ({ emails }) => emails.length > 0);

const addressOf = ({ person, written }: Whom): string | null =>
  written === null ? (person?.emails[0]?.email ?? null) : (asPerson(written)?.email ?? null);

const linesOf = (people: readonly Whom[]): string[] =>
  people.flatMap((one) => {
    const address = addressOf(one);
    return address === null ? [] : [one.person === null ? one.written! : addressLine({ email: address, name: one.person.name })];
  });

/** Why none of them may be written to; null when one may. Who else may not is left out when it leaves. */
async function whyNobody({ ctx }: Call, to: readonly Whom[]): Promise<string | null> {
  const addresses = to.flatMap((one) => addressOf(one) ?? []);
  if (addresses.length === 0) return "no_address";
  const reasons = await suppressedAmong(ctx, addresses, { channel: "email", scope: "marketing" });
  return addresses.every((one) => reasons.has(emailKey(one))) ? reasons.get(emailKey(addresses[0]!))! : null;
}

/** A sender in the words of an e-mail. Whether the member may send so is checked as for every e-mail. */
export function senderOf(
  { ctx }: Pick<Call, "ctx">,
  from: unknown,
): { email_account_id?: string; send_as_id?: string; sender?: string } {
  if (from == null) return {};
  if (typeof from !== "string") throw new StepFailure("config_invalid", "config", "from is neither an account nor an address");
  if (isId(connectedAccount.prefix, from)) return { email_account_id: from };
  if (isId(sendAs.prefix, from)) return { send_as_id: from };
  const member = isId(user.prefix, from) ? ctx.directory.get(user, from) : undefined;
  return { sender: member === undefined ? from : addressLine(member) };
}

/** Nothing would take it out of the outbox. Undone with the step, which goes on when somebody has connected a mailbox. */
async function checkMailbox(call: Call): Promise<void> {
  const given = senderOf(call, call.config.from);
  const sender = given.sender === undefined ? null : (asPerson(given.sender)?.email ?? null);
  const from = { email_account_id: given.email_account_id ?? null, send_as_id: given.send_as_id ?? null, sender };
  if (usualMailbox(call.ctx, await sendersOf(call.ctx, userOf(call.ctx) ?? ""), from) === null)
    throw new StepFailure("connected_account_missing", "config", "Who sends has no mailbox: connect one, or name another sender");
}

// --- words ---

async function letterOf(call: Call, reader: Reader) {
  const { template_id } = call.config;
  const template = template_id == null ? null : await findRecord(call.ctx, emailTemplate, template_id);
  if (template_id != null && template === null)
    throw new StepFailure("template_not_found", "config", "The template is gone, or not shared with who sends it");
  const own = { subject: templateOf(call, "subject"), body: templateOf(call, "body") };
  const words = { subject: own.subject || (template?.subject ?? ""), body: own.body || (template?.body ?? "") };
  const attachments = [...(template?.attachments ?? []), ...(await fileInSlot(call, reader))];
  return {
    ...(await filledMail(call, words, reader)),
    ...(template !== null && { template_id: template.id }),
    ...(attachments.length > 0 && { attachments }),
  };
}

/** The file of this subtype that is for e-mails: the person's own, else the lead's, else the organization's. */
async function fileInSlot({ ctx, config }: Call, { at, person }: Reader): Promise<{ file_id: string }[]> {
  const subtype = config.attach_file_slot as string | null | undefined;
  if (subtype == null) return [];
  const whose = person === null ? { lead_id: at.id } : { contact_id: person.id };
  const found = await fileToSend(ctx, "email", { ...whose, subtype });
  if (found !== null) return [{ file_id: found.id }];
  const words = `There is no file of the subtype ${subtype} for e-mails: upload it with the outreach_channel email, or leave out attach_file_slot`;
  throw new StepFailure("file_missing", "config", words);
}

/** The e-mail that this one answers: the last one with the person, or the last one that this run wrote. Null begins a thread. */
async function answeredBy({ ctx, config, run }: Call, { at, person }: Reader): Promise<string | null> {
  const which: Record<string, Sql> = {
    reply_to_step: sql`t.automation_run_id = ${run.id}`,
    reply_to_last: person === null ? sql`true` : sql`t.contact_id = ${person.id}`,
  };
  const condition = which[config.thread ?? "new"];
  if (condition === undefined) return null;
  const ofThem = [sql`t.lead_id = ${at.id}`, sql`t.status in ('sent', 'inbox', 'outbox')`, condition];
  const [last] = await findRecords(ctx, email, ofThem, sql`order by t.activity_at desc, t.id desc limit 1`);
  return last?.id ?? null;
}
