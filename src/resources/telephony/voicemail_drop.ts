// The message that a dialer, or a member in a call, leaves where a mailbox answers.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { sql } from "../../db/sql.ts";
import { findRecord, findRecords } from "../../records/records.ts";
import { file, linkOf } from "../files/file.ts";

/** What a provider can play. */
const playable = /^audio\/(?:mpeg|x-wav|wave?|x-aif[cf]|aiff|x-gsm|gsm|ulaw)$/;

/** Refuses what cannot be played to a mailbox. */
export async function checkVoicemail(ctx: Ctx, id: string | null | undefined, field = "voicemail_drop_file_id"): Promise<void> {
  const found = id ? await findRecord(ctx, file, id) : null;
  if (id && found === null) throw invalid({ [field]: "does not exist" });
  if (found !== null && !playable.test(found.mime))
    throw invalid({ [field]: `must be a recording such as MP3 or WAV: this file is ${found.mime}` });
}

const anyFile: typeof file = { ...file, visible: undefined };

interface Leaving {
  /** The member's own choice. */
  voicemail_drop_file_id: string | null;
  dialer_id: string | null;
}

/** The address of the message that is left in a call. Null where there is none, or the link to it has expired. */
export async function voicemailOf(ctx: Ctx, { voicemail_drop_file_id, dialer_id }: Leaving): Promise<string | null> {
  if (voicemail_drop_file_id === null && dialer_id === null) return null;
  const isMessage =
    voicemail_drop_file_id === null
      ? sql`t.id = (select d.voicemail_drop_file_id from dialer d
          where d.organization_id = ${ctx.organization_id} and d.id = ${dialer_id})`
      : sql`t.id = ${voicemail_drop_file_id}`;
  const [found] = await findRecords(ctx, anyFile, [isMessage]);
  return found === undefined ? null : linkOf(ctx, found);
}
