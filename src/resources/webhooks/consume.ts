// Wakes the webhooks that have new events. They read what to send themselves, each from its own place in the log.
import { transactionOf } from "../../core/context.ts";
import type { Consumer } from "../../jobs/consumer.ts";
import { wake } from "../../jobs/job.ts";
import { parseTextArray } from "../../values/text_array.ts";
import { webhookJobs, webhookNews } from "./names.ts";
import { stumblingAfter } from "./schedule.ts";
import { isAskedFor } from "./wanted.ts";

/**
 * A webhook without matching events for this many transactions is woken too, so that its place moves on and old events can be
 * dropped.
 */
const behindMost = 100_000;

export const webhookConsumer: Consumer = {
  ...webhookNews,
  doc: "Wakes webhooks that have new events.",
  async consume(ctx, events) {
    // A failing webhook is due by its own schedule, and new events would only wake it for nothing.
    const rows = await transactionOf(ctx).read({
      name: "webhook.active",
      text: `select id, events,
               (cursor_epoch, cursor_position) < (select epoch, pg_snapshot_xmin(pg_current_snapshot())::text::bigint - $3::bigint from event_epoch)
             from webhook where organization_id = $1 and status = 'active' and probe_at is null and failures_in_row < $2`,
      values: [ctx.organization_id, stumblingAfter, behindMost],
    });
    const names = new Set(events.map(({ event }) => event));
    const woken = rows.filter(([, patterns, isBehind]) => isBehind === "t" || isAskedFor(parseTextArray(patterns!), names));
    wake(
      ctx,
      webhookJobs,
      woken.map(([id]) => id!),
    );
  },
};
