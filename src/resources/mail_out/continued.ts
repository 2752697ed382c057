// Names the e-mail that a reply answers, where that one had not left yet when the reply was written.
import type { Ctx } from "../../core/context.ts";
import { findRecord } from "../../records/records.ts";
import { referencesTo } from "../activities/answered.ts";
import { email } from "../activities/email.ts";
import { messageIdOf } from "./compose.ts";
import type { Email } from "./sending.ts";

/** The reply with the ids of its header. An e-mail that is about to leave has an id already; a draft may still change, and has none. */
export async function continued(ctx: Ctx, mail: Email): Promise<Email> {
  if (mail.in_reply_to_id === null || mail.envelope === null || mail.envelope.in_reply_to !== null) return mail;
  const answered = await findRecord(ctx, email, mail.in_reply_to_id);
  const id = answered === null ? null : idOf(answered);
  if (id === null) return mail;
  const references = referencesTo({ references: answered!.references, message_ids: [id] });
  return { ...mail, references, envelope: { ...mail.envelope, in_reply_to: id } };
}

const idOf = (answered: Email): string | null =>
  answered.message_ids[0] ?? (answered.send_after === null ? null : messageIdOf(answered));
