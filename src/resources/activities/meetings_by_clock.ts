// Stores that meetings have started and ended. Reads show the right status without this; it writes the events.
import { raw, sql } from "../../db/sql.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { meeting } from "./meeting.ts";
import { settled } from "./meeting_states.ts";

export const begunMeetings: Due<typeof meeting> = {
  of: meeting,
  when(now) {
    const at = sql`${now}::timestamptz`;
    return sql`t.status in ('upcoming', 'in-progress') and t.starts_at <= ${at} and (t.status = 'upcoming' or t.ends_at <= ${at})`;
  },
  since: raw("t.starts_at"),
  act(ctx, rows) {
    for (const one of rows) settled(ctx, one);
  },
};
