// Removes recordings and voicemails of calls: the files, the links to them, and what was written down of them. The calls stay.
import type { Ctx } from "../../core/context.ts";
import type { Patch } from "../../core/resource.ts";
import { type Sql, sql } from "../../db/sql.ts";
import { findRecords, updateRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { messageChanged } from "../conversations/keep_up.ts";
import { removeFilesOfLinks } from "../files/remove_files.ts";
import { task } from "../tasks/task.ts";
import { call } from "./call.ts";

const none = { recording_url: null, recording_transcript: null, voicemail_url: null, voicemail_transcript: null };

/** Of the oldest calls that meet the condition on the alias `t`. Returns their ids. */
export async function removeRecordings(ctx: Ctx, which: Sql, most: number): Promise<string[]> {
  const found = await findRecords(ctx, call, [which], sql`order by t.activity_at limit ${most} for no key update of t`);
  for (const row of found) await messageChanged(ctx, call, row, store.update(ctx, call, row, none));
  const ids = found.map(({ id }) => id);
  await clearTasks(ctx, ids);
  await removeFilesOfLinks(
    ctx,
    found.flatMap(({ recording_url, voicemail_url }) => [recording_url ?? [], voicemail_url ?? []].flat()),
  );
  return ids;
}

/** The task to call back links to the voicemail. */
async function clearTasks(ctx: Ctx, callIds: readonly string[]): Promise<void> {
  const missed = [sql`t._type = 'missed_call'`, sql`t.object_id = any(${callIds})`, sql`t.voicemail_url is not null`];
  for (const { id } of await findRecords(ctx, task, missed))
    await updateRecord(ctx, task, id, { voicemail_url: null } as Patch<typeof task>);
}
