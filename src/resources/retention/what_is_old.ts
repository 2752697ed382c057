// What is older than an organization keeps it: conditions on the alias `t`, which indexes serve.
import type { Ctx } from "../../core/context.ts";
import { type Sql, sql } from "../../db/sql.ts";
import { firstIdAt } from "../../values/id.ts";
import type { Kept } from "../organization/retention.ts";

const dayMs = 86_400_000;

/** What was made or said before this moment is old. */
export const oldBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * dayMs);

/** Drafts and what waits to be sent are somebody's unfinished work. */
export const finished = ["sent", "inbox", "error"] as const;

export const isOldMail = (before: Date): Sql =>
  sql`t._type = 'Email' and t.activity_at < ${before}::timestamptz and t.status = any(${finished})`;

/** Mail of people who were nobody's contact when it came, by their newest message. */
export const isOldProspect = (before: Date): Sql =>
  sql`t.channel = 'email' and t.received_at < ${before}::timestamptz and t.status in ('new', 'converted', 'dismissed')`;

export const isOldRecording = (before: Date): Sql =>
  sql`t._type = 'Call' and t.activity_at < ${before}::timestamptz and t.status <> 'in-progress'
    and (t.recording_url is not null or t.voicemail_url is not null or t.recording_transcript is not null or t.voicemail_transcript is not null)`;

export const isOldStrangersRecording = (before: Date): Sql =>
  sql`t.received_at < ${before}::timestamptz and t.provider_id is not null
    and (t.message ->> 'recording_url' is not null or t.message ->> 'voicemail_url' is not null)`;

/** How long an event stays that a consumer or an active webhook has not read, as for everybody. */
const unreadMostDays = 90;

export function isOldEvent({ organization_id, now }: Ctx, before: Date): Sql {
  const place = sql`r.organization_id = ${organization_id} and (r.cursor_epoch, r.cursor_position, r.cursor_seq) < (t.epoch, t.position, t.seq)`;
  const isUnread = sql`exists (select from consumer r where ${place}) or exists (select from webhook r where r.status = 'active' and ${place})`;
  return sql`t.id < ${firstIdAt("ev", before)} and (t.id < ${firstIdAt("ev", oldBefore(now, unreadMostDays))} or not (${isUnread}))`;
}

/** What each setting is about: the tables, and which of their rows are old. */
export const oldOf: Record<Kept, readonly { table: string; which(ctx: Ctx, before: Date): Sql }[]> = {
  mail_days: [
    { table: "activity", which: (_ctx, before) => isOldMail(before) },
    { table: "inbox_prospect", which: (_ctx, before) => isOldProspect(before) },
  ],
  recording_days: [
    { table: "activity", which: (_ctx, before) => isOldRecording(before) },
    { table: "prospect_message", which: (_ctx, before) => isOldStrangersRecording(before) },
  ],
  event_days: [{ table: "event", which: isOldEvent }],
};
