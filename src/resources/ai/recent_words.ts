// What was said at a lead last.
import type { Ctx } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { activity } from "../activities/activity.ts";
import type { Spoken } from "./words_of.ts";

/** The newest activities with words, newest first. */
export async function recentWords(ctx: Ctx, lead_id: string, most: number): Promise<Spoken[]> {
  const spoken = sql`t._type in ('Note', 'Call', 'ChannelMessage', 'CustomActivity', 'Email', 'SMS', 'Meeting')`;
  const order = sql`order by t.activity_at desc, t.id desc limit ${most}`;
  return (await findRecords(ctx, activity, [sql`t.lead_id = ${lead_id}`, spoken], order)) as unknown as Spoken[];
}
