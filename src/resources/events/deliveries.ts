// What became of an event at the webhooks that it was sent to. Members see the deliveries of their own webhooks, admins all.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { and, name, type Sql, sql } from "../../db/sql.ts";

export const eventDelivery = z.object({
  id: z.string(),
  webhook_id: z.string(),
  status: z.enum(["pending", "retrying", "succeeded", "failed"]),
  attempt_count: z.int(),
  http_status: z.int().nullable().describe("The latest response status."),
});

/** The newest ones. Redelivering makes further ones. */
const most = 100;

export function deliveriesOf(alias: string, ctx: Ctx): Sql {
  const e = name(alias);
  const visible = ctx.registry.resource("webhook_delivery")!.visible!(ctx, "d");
  const ofEvent = sql`d.organization_id = ${ctx.organization_id} and d.event_id = ${e}.id`;
  return sql`(select coalesce(json_agg(json_build_object('id', d.id, 'webhook_id', d.webhook_id, 'status', d.status,
      'attempt_count', d.attempt_count, 'http_status', d.http_status)), '[]')
    from (select d.* from webhook_delivery d where ${and(visible === null ? [ofEvent] : [ofEvent, visible])}
      order by d.date_created desc, d.id desc limit ${most}) d)`;
}
