// Sends a copy of a mail to the server, outside of any transaction.
import type { Core } from "../../core/core.ts";
import { type Job, outside } from "../../jobs/job.ts";
import { whileHeld } from "../../jobs/while_held.ts";
import { handOver, type Letter, NotHanded, PerhapsHanded, type Receipt } from "../../services/smtp.ts";
import { forgetToken } from "../accounts/oauth/access_token.ts";
import { addressesOf } from "../accounts/senders.ts";
import { person } from "../activities/recipients.ts";
import { loopMark } from "../mail_class/loop_mark.ts";
import { type Composition, composer, messageIdOf } from "./compose.ts";
import { serverOf } from "./mailbox.ts";
import type { Account, Sending } from "./sending.ts";

/** The result. */
export type Outcome = Receipt | NotHanded | PerhapsHanded;

/** From the start to the server's final reply. Some servers scan each mail for minutes. */
const wholeMs = 240_000;

export async function send(core: Core, job: Job, sending: Sending): Promise<Outcome> {
  const compose = await composer();
  const composition = compositionOf(sending);
  const letter = {
    from: sending.account.email!,
    to: sending.copy.to,
    message_id: composition.message_id,
    size: sizeOf(composition),
    read: (utf8: boolean) => compose({ ...composition, utf8 }),
  };
  return keeping(core, job, async (signal) => {
    try {
      return await outside(job, handOverBy(core, sending.account, letter, signal));
    } catch (failure) {
      if (failure instanceof NotHanded || failure instanceof PerhapsHanded) return failure;
      throw failure;
    }
  });
}

/** A token that the server refuses before it expires is refreshed, once. */
async function handOverBy(core: Core, account: Account, letter: Letter, signal: AbortSignal): Promise<Receipt> {
  const server = await serverOf(core, account);
  try {
    return await handOver(core.settings.addresses, server, letter, signal);
  } catch (failure) {
    const isRefused = failure instanceof NotHanded && failure.problem === "login";
    if (!isRefused || !server.access_token) throw failure;
    await forgetToken(core, account, server.access_token);
  }
  return handOver(core.settings.addresses, await serverOf(core, account), letter, signal);
}

/** The claim is extended in the meantime. When it is lost, or sending takes too long, it is aborted. */
export const keeping = <T>(core: Core, job: Job, work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
  whileHeld(core, job, (lost) => work(AbortSignal.any([lost, AbortSignal.timeout(wholeMs)])));

export function compositionOf({ mail, account, parts, copy }: Pick<Sending, "mail" | "account" | "parts" | "copy">): Composition {
  const { email: author } = person(mail.sender!);
  return {
    mail,
    sender: addressesOf(account).includes(author.toLowerCase()) ? null : account.email,
    date: new Date(mail.sending_at ?? mail.date_sent!),
    message_id: messageIdOf(mail),
    in_reply_to: mail.envelope?.in_reply_to ?? null,
    text: copy.text,
    html: copy.html,
    headers: { ...copy.headers, ...(mail.envelope?.forwarded && forwardHeaders(mail)) },
    parts,
  };
}

/** Nobody answers it automatically (RFC 3834), and it is known where it comes back. */
const forwardHeaders = ({ organization_id }: Sending["mail"]) => ({
  "Auto-Submitted": "auto-generated",
  [loopMark]: organization_id,
});

/** Base64 takes four bytes for three, and a line end for each 76. */
const sizeOf = ({ text, html, parts }: Composition): number =>
  Math.ceil((text.length + (html?.length ?? 0)) * 1.5 + parts.reduce((sum, { size }) => sum + size * 1.38, 2000));
