// Resumes subscriptions whose contact is back from an absence.
import { raw, sql } from "../../db/sql.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { changedFields, emit } from "../../records/event.ts";
import { finish } from "./endings.ts";
import { back } from "./resume.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";

export const endedAbsences: Due<typeof sequenceSubscription> = {
  of: sequenceSubscription,
  when: (now) => sql`t.status = 'paused' and t.resume_at <= ${now}::timestamptz`,
  since: raw("t.resume_at"),
  async act(ctx, rows) {
    for (const before of rows) {
      const after = await back(ctx, before);
      if (after === null) finish(ctx, before, { status_reason: "unsubscribed" });
      else {
        const changed = changedFields(sequenceSubscription, before, after);
        emit(ctx, sequenceSubscription, { action: "resumed", before, after, changed });
      }
    }
  },
};
