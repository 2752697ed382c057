-- What the reports read, in the order they read it: an index that holds all they need of a row, so that a count over a hundred
-- thousand rows reads a few megabytes of the index and not a hundred of the table.

-- Activities of some kinds in a range of time. Columns of other kinds are null and take no room.
create index activity_report_idx on activity (organization_id, _type, activity_at)
  include (user_id, lead_id, opportunity_id, direction, status, disposition, duration, call_method, outcome_id, ends_at,
           template_id, sequence_id, has_reply, opens_summary, clicks_summary, old_status_id, new_status_id, date_created);

-- The way of a deal, and of a lead, through its statuses.
create index activity_opportunity_status_idx on activity (organization_id, opportunity_id, activity_at)
  include (old_status_id, new_status_id) where _type = 'OpportunityStatusChange';
create index activity_lead_status_idx on activity (organization_id, lead_id, activity_at)
  include (old_status_id, new_status_id) where _type = 'LeadStatusChange';

-- Deals and leads, in the order of the changes above, so that the two are read side by side.
create index opportunity_report_idx on opportunity (organization_id, id)
  include (status_id, lead_id, user_id, created_by, value, value_period, value_currency, annualized_value, expected_value, confidence,
           date_won, date_lost, expected_close_date, date_created);
create index lead_report_idx on lead (organization_id, id) include (status_id, owner_id, created_by, date_created);
