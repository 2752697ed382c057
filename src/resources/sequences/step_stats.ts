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
    meetings: z.int(),
    open_rate: rate,
    click_rate: rate,
    reply_rate: rate,
  }),
);

/**
 * As JSON, over the alias of a sequence. Opens and clicks by programs do not count. An opt-out counts for the
 * message whose link was pressed or that was answered with it; any other, and a meeting, for the last one of the subscription that it
 * ended. One that was taken back does not count.
 */
export function statsOf(alias: string, ctx: Ctx): Sql {
  const t = name(alias);
  return sql`(select coalesce(json_agg(json_build_object('step_id', n.step_id, 'variant', n.variant, 'taken', n.taken,
      'skipped', n.skipped, 'failed', n.failed, 'sent', n.sent, 'delivered', n.delivered, 'opened', n.opened, 'clicked', n.clicked,
      'replied', n.replied, 'bounced', n.sent - n.delivered, 'unsubscribed', n.unsubscribed, 'meetings', n.meetings,
      'open_rate', round(n.opened::numeric / nullif(n.delivered, 0), 4), 'click_rate', round(n.clicked::numeric / nullif(n.delivered, 0), 4),
      'reply_rate', round(n.replied::numeric / nullif(n.delivered, 0), 4)) order by n.step_id, n.variant), '[]')
    from (
      select s.step_id, s.variant, count(*) as taken, count(*) filter (where s.outcome = 'skipped') as skipped,
        count(*) filter (where s.outcome = 'failed') as failed, count(*) filter (where s.is_sent) as sent,
        count(*) filter (where s.is_sent and s.bounces = '[]') as delivered,
        count(*) filter (where s.is_opened) as opened, count(*) filter (where s.is_clicked) as clicked,
        count(*) filter (where s.has_reply) as replied,
        count(*) filter (where s.opts_out or (s.is_last and not s.opted_out and s.stays_out)) as unsubscribed,
        count(*) filter (where s.is_last and s.why = 'meeting-booked') as meetings
      from (
        select m.*, bool_or(m.opts_out) over (partition by m.subscription_id) as opted_out,
          m.is_sent and m.date_created = max(m.date_created) filter (where m.is_sent) over (partition by m.subscription_id) as is_last
        from (${takenSteps(t, ctx)}) m) s
      group by s.step_id, s.variant) n)`;
}

const takenSteps = (t: Sql, ctx: Ctx): Sql => sql`
  select s.subscription_id, s.step_id, s.variant, s.outcome, s.date_created, w.status_reason as why,
    case when w.status_reason = 'unsubscribed' then exists (select from contact c join unsubscribed_email u
        on u.organization_id = ${ctx.organization_id} and u.reason = 'unsubscribed'
          and u.address = any(array(select '+' || k from unnest(c.phone_keys) k) || lower(w.contact_email))
      where c.organization_id = ${ctx.organization_id} and c.id = w.contact_id) else false end as stays_out,
    coalesce(a.bounces, '[]') as bounces, a.status is not distinct from 'sent' as is_sent,
    a.opens_summary is not null as is_opened, a.clicks_summary is not null as is_clicked, a.has_reply,
    exists (select from unsubscribed_email u where u.organization_id = ${ctx.organization_id} and u.source_id = a.id)
      or exists (select from activity r join unsubscribed_email u on u.organization_id = ${ctx.organization_id} and u.source_id = r.id
        where r.organization_id = ${ctx.organization_id} and r.in_reply_to_id = a.id) as opts_out
  from sequence_step_taken s
  join sequence_subscription w on w.organization_id = ${ctx.organization_id} and w.id = s.subscription_id
  left join activity a on a.organization_id = ${ctx.organization_id} and a.id = s.object_id
  where s.organization_id = ${ctx.organization_id} and s.sequence_id = ${t}.id ${andVisible(visibleAsLead(ctx, "w"))}`;
