// What waits to reach a contact is cancelled when the contact is deleted: messages become errors that say so, and calls that are not
// placed yet fail. Messages of sequences go with their subscriptions.
import { type Ctx, query, userOf } from "../../core/context.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { type Sql, sql } from "../../db/sql.ts";
import { lockToChange } from "../../records/references.ts";
import { call } from "./call.ts";
import { failCall } from "./call_verbs.ts";
import { isToPlace } from "./calls_out.ts";
import { channelMessage } from "./channel_message.ts";
import { email } from "./email.ts";
import { hasFailed, type Leaving, releaserOf } from "./leaving.ts";
import { sms } from "./sms.ts";

export const contactDeleted = {
  error_class: "contact_deleted",
  error_message: "The contact was deleted before it was sent: put it into the outbox again to send it all the same",
};

export async function cancelWaiting(ctx: Ctx, { id }: { id: string }): Promise<void> {
  const kinds = await waitingFor(ctx, id);
  const [message, ring] = [
    sql`t.status in ('outbox', 'scheduled') and t.sequence_subscription_id is null`,
    sql`t.status = 'created'`,
  ];
  const lock = async <R extends Resource>(of: R, waits: Sql): Promise<Row<R>[]> => {
    const type = of.only!.value;
    const isOfIt = sql`t._type = ${type} and t.contact_id = ${id}`;
    return kinds.has(type) ? lockToChange(ctx, of, sql`${isOfIt} and ${waits} and t.sending_at is null`) : [];
  };

  for (const kind of [email, sms, channelMessage])
    for (const one of (await lock<Resource>(kind, message)) as Leaving[])
      await hasFailed(ctx, kind, one, contactDeleted, { quietly: releaserOf(one) === userOf(ctx) });
  for (const one of (await lock(call, ring)).filter(isToPlace))
    await failCall(ctx, one, "The contact was deleted before it was placed");
}

/** Most contacts wait for nothing. */
async function waitingFor(ctx: Ctx, contactId: string): Promise<Set<string>> {
  const rows = await query(ctx, {
    name: "activity.waiting_for",
    text: `select distinct _type from activity where organization_id = $1 and contact_id = $2
           and status in ('outbox', 'scheduled', 'created')`,
    values: [ctx.organization_id, contactId],
  });
  return new Set(rows.map(([type]) => type!));
}
