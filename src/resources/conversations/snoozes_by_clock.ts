// Stores that a snooze has ended. Reads show the right status without this; it writes the event `conversation.reopened`.
import { raw, sql } from "../../db/sql.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { conversation } from "./conversation.ts";
import { settled } from "./follow_ups.ts";

/** A deleted conversation stays snoozed, and wakes up when it is restored. */
export const endedSnoozes: Due<typeof conversation> = {
  of: conversation,
  when: (now) => sql`t.status = 'snoozed' and t.snoozed_until <= ${now}::timestamptz and t.deleted_at is null`,
  since: raw("t.snoozed_until"),
  act(ctx, rows) {
    for (const one of rows) settled(ctx, one);
  },
};
