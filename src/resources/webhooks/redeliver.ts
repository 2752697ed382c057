// `POST /webhook/{id}/redeliver/`: sends one delivery again, or everything since a time. For the latter the webhook's place in
// the log moves back, so that a million events cost one row, and are sent as fast as the receiver accepts them.
import { z } from "zod";
import { type Ctx, transactionOf, write } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { JsonText, operation } from "../../core/operation.ts";
import { sql } from "../../db/sql.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { findRecords, lockRecord, showRecord } from "../../records/records.ts";
import { parseTimestamp, pgTimestamp } from "../../values/time.ts";
import { lookNow, refuseWhilePaused } from "./ping.ts";
import type { Webhook } from "./turn.ts";
import { webhook } from "./webhook.ts";
import { webhookDelivery } from "./webhook_delivery.ts";

export const redeliver = operation({
  name: "webhook.redeliver",
  method: "POST",
  path: "/webhook/{id}/redeliver/",
  doc: "Sends one delivery again, or all events since a time, as far as they are kept. Each has the same `webhook-id` as before.",
  permission: "member",
  mcp: false,
  narrows: true,
  input: {
    id: z.string(),
    delivery_id: z.string().optional().describe("The delivery to send again. Give either this or `since`."),
    since: z.string().optional().describe("Everything since then is sent again, in order and in the background."),
  },
  get output() {
    return z.strictObject({
      delivery: outputSchema(webhookDelivery).nullable().describe("The delivery that is sent again."),
      since: z.iso.datetime().nullable(),
    });
  },
  async run(ctx, { id, delivery_id, since }) {
    if ((delivery_id === undefined) === (since === undefined))
      throw invalid({ delivery_id: "must be given, or since, and not both" });
    const from = since === undefined ? null : momentOf(ctx, since);
    const found = await lockRecord(ctx, webhook, id);
    refuseWhilePaused(found);

    if (from !== null) await moveBack(ctx, found, from);
    else await sendAgain(ctx, found, delivery_id!);
    lookNow(ctx, found);
    const delivery = from === null ? (await showRecord(ctx, webhookDelivery, delivery_id!)).text : "null";
    return new JsonText(`{"delivery":${delivery},"since":${JSON.stringify(from)}}`);
  },
});

function momentOf(ctx: Ctx, since: string): string {
  const moment = parseTimestamp(since);
  if (moment === null) throw invalid({ since: "must be a time such as 2026-01-02T03:04:05.678Z" });
  if (moment > ctx.now.toISOString()) throw invalid({ since: "must not be in the future" });
  return moment;
}

async function sendAgain(ctx: Ctx, { id }: Webhook, deliveryId: string): Promise<void> {
  const [found] = await findRecords(ctx, webhookDelivery, [sql`t.id = ${deliveryId} and t.webhook_id = ${id}`]);
  if (found === undefined) throw invalid({ delivery_id: "does not exist" });
  write(ctx, {
    name: "webhook_delivery.send_again",
    text: `update webhook_delivery set status = 'pending', next_at = $3, tried_since = $3, tries = 0, date_updated = $3
           where organization_id = $1 and id = $2`,
    values: [ctx.organization_id, deliveryId, ctx.now],
  });
}

/** A transaction lasts at most a minute, so everything written since then is after the first place of that minute. */
async function moveBack(ctx: Ctx, { id }: Webhook, since: string): Promise<void> {
  const [first] = await transactionOf(ctx).read({
    text: "select date_created from event where organization_id = $1 and date_created >= $2 order by date_created limit 1",
    values: [ctx.organization_id, since],
  });
  if (first === undefined) return;
  const minuteLater = new Date(Date.parse(pgTimestamp(first[0]!)) + 61_000);
  const [place] = await transactionOf(ctx).read({
    text: `select epoch, position from event where organization_id = $1 and date_created >= $2 and date_created < $3
           order by epoch, position limit 1`,
    values: [ctx.organization_id, since, minuteLater],
  });
  write(ctx, {
    name: "webhook.move_back",
    text: `update webhook set cursor_epoch = $3, cursor_position = $4, cursor_seq = 0
           where organization_id = $1 and id = $2 and (cursor_epoch, cursor_position) >= ($3::bigint, $4::bigint)`,
    values: [ctx.organization_id, id, ...place!],
  });
  write(ctx, {
    name: "webhook.begin_earlier",
    text: "update webhook set begins_after = null where organization_id = $1 and id = $2 and begins_after is not null",
    values: [ctx.organization_id, id],
  });
}
