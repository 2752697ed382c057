// Ends messages that should have been sent long ago, because their author may have written something else since. Each says why it
// was not sent, and can be put into the outbox again. A waiting message that has no job, for whatever reason, gets one.
import type { Ctx } from "../../core/context.ts";
import type { Resource } from "../../core/resource.ts";
import { raw, sql } from "../../db/sql.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { wakeLost } from "../../jobs/job.ts";
import { isNews } from "../notifications/notify.ts";
import { channelMessage } from "./channel_message.ts";
import { email } from "./email.ts";
import { hasFailed, jobsOf, type Leaving, laneOf } from "./leaving.ts";
import { sms } from "./sms.ts";

const hours = 72;

/** How long a message may wait to be sent. */
export const waitsMs = hours * 3_600_000;

export const isTooLate = ({ now }: Ctx, send_after: string): boolean => now.getTime() - Date.parse(send_after) >= waitsMs;

export const tooLate = {
  error_class: "too_late",
  error_message: `could not be sent for ${hours} hours, and is no longer tried: put it into the outbox again to send it now`,
};

/**
 * Ends a message whose sending has not begun. Messages that have waited for weeks notify nobody, because nobody wants to hear of
 * all of them at once.
 */
export async function endLate(ctx: Ctx, of: Resource, message: Leaving): Promise<void> {
  const since = new Date(Date.parse(message.send_after!) + waitsMs).toISOString();
  await hasFailed(ctx, of, message, tooLate, { quietly: !isNews(ctx, since) });
}

/** A message that is being sent at this moment will get its own result. */
export const lateMessages: readonly Due[] = [email, sms, channelMessage].map(
  (of: Resource): Due => ({
    of,
    when: (now) =>
      sql`t.send_after <= ${new Date(now.getTime() - waitsMs)}::timestamptz and t.status in ('outbox', 'scheduled') and t.sending_at is null`,
    since: raw("t.send_after"),
    async act(ctx, rows) {
      for (const row of rows as Leaving[]) await endLate(ctx, of, row);
    },
  }),
);

/** Messages from before there was a sender, and messages whose job was lost. */
export const waitingMessages: readonly Due[] = [email, sms, channelMessage].map(
  (of: Resource): Due => ({
    of,
    // A message that reached some of its recipients still waits for the others.
    when: (now) => sql`t.send_after <= ${now}::timestamptz`,
    since: raw("t.send_after"),
    onlyWakes: true,
    act(ctx, rows) {
      for (const [lane, those] of Map.groupBy(rows as Leaving[], laneOf))
        wakeLost(
          ctx,
          jobsOf(of),
          those.map(({ id }) => id),
          lane,
        );
    },
  }),
);
