// A mailbox may send more on a day than before: the subscriptions that wait for a day with room ask again now.
import type { Ctx } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { lockFree } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";
import { wakeStep } from "./step_jobs.ts";

/** The others ask on their day. */
const most = 2000;

export async function wakeThrottled(ctx: Ctx, { id }: { id: string }): Promise<void> {
  const waits = sql`t.sender_account_id = ${id} and t.status = 'active' and t.throttled_since is not null and t.slot_at is null
    and t.next_step_at > ${ctx.now} and t.id in (select s.id from sequence_subscription s
      where s.organization_id = ${ctx.organization_id} and s.sender_account_id = ${id} and s.status = 'active'
        and s.throttled_since is not null and s.next_step_at > ${ctx.now} order by s.next_step_at, s.id limit ${most})`;
  const next_step_at = ctx.now.toISOString();
  for (const way of await lockFree(ctx, sequenceSubscription, waits))
    wakeStep(ctx, store.update(ctx, sequenceSubscription, way, { next_step_at }));
}
