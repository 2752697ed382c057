// Keeps contacts, and addresses, from a sequence that they have been through lately.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { afterDelay } from "./schedule.ts";
import type { sequence } from "./sequence.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";

/** One that gave way to another, or could not go on, does not count. */
const wasThrough = sql`t.status in ('finished', 'goal') and t.status_reason is distinct from 'replaced'`;

const ofAnybody: typeof sequenceSubscription = { ...sequenceSubscription, visible: undefined };

export async function refuseAgain(
  ctx: Ctx,
  of: Row<typeof sequence>,
  { contact_id, contact_email }: { contact_id: string; contact_email: string | null },
): Promise<void> {
  if (of.resubscribe_after === null) return;
  const isThem =
    contact_email === null
      ? sql`t.contact_id = ${contact_id}`
      : sql`(t.contact_id = ${contact_id} or lower(t.contact_email) = lower(${contact_email}))`;
  const [last] = await findRecords(
    ctx,
    ofAnybody,
    [sql`t.sequence_id = ${of.id}`, wasThrough, isThem, sql`t.finished_at is not null`],
    sql`order by t.finished_at desc limit 1`,
  );
  const again = last && afterDelay(new Date(last.finished_at!), of.resubscribe_after, "UTC");
  if (again === undefined || again <= ctx.now) return;
  const field = last!.contact_id === contact_id ? "contact_id" : "contact_email";
  throw invalid({
    [field]: `was in this sequence until ${last!.finished_at!.slice(0, 10)}, and its resubscribe_after ends on ${again.toISOString().slice(0, 10)}: resume that subscription, or send force`,
  });
}
