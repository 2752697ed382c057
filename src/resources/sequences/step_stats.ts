// What became of the steps of a sequence, for each step and variant, from the messages that they made.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { andVisible, visibleAsLead } from "../leads/visibility.ts";

const rate = z.number().nullable();

export const stepStats = z.array(
  z.object({
    step_id: z.string(),
    variant: z.string().nullable(),
    taken: z.int(),
    skipped: z.int(),
    failed: z.int(),
    sent: z.int(),
    delivered: z.int(),
    opened: z.int(),
    clicked: z.int(),
    replied: z.int(),
    bounced: z.int(),
    unsubscribed: z.int(),
    open_rate: rate,
    click_rate: rate,
    reply_rate: rate,
  }),
);

/** As JSON, over the alias of a sequence. Opens and clicks by programs do not count. */
export function statsOf(alias: string, ctx: Ctx): Sql {
  const t = name(alias);
  return sql`(select coalesce(json_agg(json_build_object('step_id', n.step_id, 'variant', n.variant, 'taken', n.taken,
      'skipped', n.skipped, 'failed', n.failed, 'sent', n.sent, 'delivered', n.delivered, 'opened', n.opened, 'clicked', n.clicked,
      'replied', n.replied, 'bounced', n.sent - n.delivered, 'unsubscribed', n.unsubscribed,
      'open_rate', round(n.opened::numeric / nullif(n.delivered, 0), 4), 'click_rate', round(n.clicked::numeric / nullif(n.delivered, 0), 4),
      'reply_rate', round(n.replied::numeric / nullif(n.delivered, 0), 4)) order by n.step_id, n.variant), '[]')
    from (
      select s.step_id, s.variant, count(*) as taken, count(*) filter (where s.outcome = 'skipped') as skipped,
        count(*) filter (where s.outcome = 'failed') as failed, count(*) filter (where a.status = 'sent') as sent,
        count(*) filter (where a.status = 'sent' and coalesce(a.bounces, '[]') = '[]') as delivered,
        count(*) filter (where a.opens_summary is not null) as opened, count(*) filter (where a.clicks_summary is not null) as clicked,
        count(*) filter (where a.has_reply) as replied,
        count(*) filter (where exists (select from unsubscribed_email u where u.organization_id = ${ctx.organization_id}
          and u.source_id = a.id)) as unsubscribed
      from sequence_step_taken s
      join sequence_subscription w on w.organization_id = ${ctx.organization_id} and w.id = s.subscription_id
      left join activity a on a.organization_id = ${ctx.organization_id} and a.id = s.object_id
      where s.organization_id = ${ctx.organization_id} and s.sequence_id = ${t}.id ${andVisible(visibleAsLead(ctx, "w"))}
      group by s.step_id, s.variant) n)`;
}
