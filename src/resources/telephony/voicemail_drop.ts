// The message that a dialer leaves where a mailbox answers.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { sql } from "../../db/sql.ts";
import { findRecord, findRecords } from "../../records/records.ts";
import { file, linkOf } from "../files/file.ts";

/** What a provider can play. */
const playable = /^audio\/(?:mpeg|x-wav|wave?|x-aif[cf]|aiff|x-gsm|gsm|ulaw)$/;

/** Refuses what cannot be played to a mailbox. */
export async function checkVoicemail(ctx: Ctx, id: string | null | undefined): Promise<void> {
  const found = id ? await findRecord(ctx, file, id) : null;
  if (id && found === null) throw invalid({ voicemail_drop_file_id: "does not exist" });
  if (found !== null && !playable.test(found.mime))
    throw invalid({ voicemail_drop_file_id: `must be a recording such as MP3 or WAV: this file is ${found.mime}` });
}

const anyFile: typeof file = { ...file, visible: undefined };

/** The address of the dialer's message. Null where it has none, or the link to it has expired. */
export async function voicemailOf(ctx: Ctx, dialerId: string | null): Promise<string | null> {
  if (dialerId === null) return null;
  const isOfDialer = sql`t.id = (select d.voicemail_drop_file_id from dialer d
    where d.organization_id = ${ctx.organization_id} and d.id = ${dialerId})`;
  const [found] = await findRecords(ctx, anyFile, [isOfDialer]);
  return found === undefined ? null : linkOf(ctx, found);
}
