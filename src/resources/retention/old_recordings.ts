// Removes recordings and voicemails that are older than their organization keeps them.
import { type Ctx, query, write } from "../../core/context.ts";
import { sql, statement } from "../../db/sql.ts";
import { removeRecordings } from "../activities/remove_recordings.ts";
import { removeFilesOfLinks } from "../files/remove_files.ts";
import { strangerGoesOn } from "../inbox/stranger_calls.ts";
import { isOldRecording, isOldStrangersRecording } from "./what_is_old.ts";

/** The most calls of one transaction. */
const most = 100;

/** Removes some. Returns whether there may be more. */
export async function removeOldRecordings(ctx: Ctx, before: Date): Promise<boolean> {
  const ids = await removeRecordings(ctx, isOldRecording(before), most);
  if (ids.length > 0) forgetWords(ctx, ids);
  return ids.length === most;
}

/** The log keeps that there was a recording, and not what was said. */
function forgetWords(ctx: Ctx, callIds: readonly string[]): void {
  const keys = ["recording_transcript", "voicemail_transcript"];
  write(
    ctx,
    statement(sql`update event set data = (data::jsonb - ${keys}::text[])::json, previous_data = (previous_data::jsonb - ${keys}::text[])::json
      where organization_id = ${ctx.organization_id} and object_id = any(${callIds})`),
  );
}

/** The same for calls of people who were nobody's contact. */
export async function removeOldStrangersRecordings(ctx: Ctx, before: Date): Promise<boolean> {
  const rows = await query(
    ctx,
    statement(sql`select t.prospect_id, t.provider_id, t.message ->> 'recording_url', t.message ->> 'voicemail_url' from prospect_message t
      where t.organization_id = ${ctx.organization_id} and ${isOldStrangersRecording(before)} limit ${most}`),
  );
  for (const [prospect_id, provider_id] of rows)
    await strangerGoesOn(
      ctx,
      { prospect_id: prospect_id!, provider_id: provider_id! },
      { recording_url: null, voicemail_url: null },
    );
  await removeFilesOfLinks(
    ctx,
    rows.flatMap(([, , ...links]) => links.flatMap((link) => link ?? [])),
  );
  return rows.length === most;
}
