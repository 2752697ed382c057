-- What the reports count by when it was created, or lost, read from the index of that time alone: for one of three years the activity
-- report reads the 44,000 deals and 30,000 leads of that year, in place of all 150,000 deals three times and all 100,000 leads. The
-- first two replace indexes that lists are read by: a write keeps as many as before, each entry with a member's id or two in it more.
drop index opportunity_date_created_idx;
create index opportunity_date_created_idx on opportunity (organization_id, date_created desc, id desc) include (user_id, created_by);
drop index lead_date_created_idx;
create index lead_date_created_idx on lead (organization_id, date_created desc, id desc) include (created_by);

-- Only deals that are lost have an entry, as only won ones have in opportunity_date_won_idx.
create index opportunity_date_lost_idx on opportunity (organization_id, date_lost) where date_lost is not null;
