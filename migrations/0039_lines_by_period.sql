-- What a deal's lines come to once, each month and each year: only what recurs is worth more in a year than it costs once.
alter table opportunity add column line_items_by_period jsonb;

-- The part of a deal's value that is due in a period: of its lines where it has some, else all of it in its own period.
-- Null where nothing is.
create function value_due(period text, value bigint, value_period text, by_period jsonb) returns bigint
  language sql immutable parallel safe
  return case when by_period is not null then nullif((by_period ->> period)::bigint, 0)
    when value_period = period then value end;

with due as (
  select organization_id, opportunity_id,
    coalesce(sum(subtotal - discount_total) filter (where billing_period = 'one_time'), 0)::bigint as one_time,
    coalesce(sum(subtotal - discount_total) filter (where billing_period = 'monthly'), 0)::bigint as monthly,
    coalesce(sum(subtotal - discount_total) filter (where billing_period = 'annual'), 0)::bigint as annual
  from line_item group by 1, 2
)
update opportunity t set
  line_items_by_period = jsonb_build_object('one_time', d.one_time, 'monthly', d.monthly, 'annual', d.annual),
  value = d.one_time + d.monthly + d.annual,
  line_items_total = d.one_time + d.monthly + d.annual,
  value_period = case
    when d.monthly > 0 and d.one_time = 0 and d.annual = 0 then 'monthly'
    when d.annual > 0 and d.one_time = 0 and d.monthly = 0 then 'annual'
    else 'one_time' end,
  annualized_value = d.one_time + 12 * d.monthly + d.annual,
  expected_value = round((d.one_time + d.monthly + d.annual) * t.confidence / 100.0),
  annualized_expected_value = round((d.one_time + 12 * d.monthly + d.annual) * t.confidence / 100.0)
from due d where d.organization_id = t.organization_id and d.opportunity_id = t.id;
