-- The leads of a dialer become entries with a state: handed out for a while, or put off until people may be called where the lead is.

alter table dialer_lead
  add column state text not null default 'pending',
  -- Not called before: at the lead it is too early, or too late.
  add column wait_until timestamptz(3),
  -- Who got it has until then to call, or somebody else gets it.
  add column lease_until timestamptz(3),
  add column taken_at timestamptz(3),
  -- Whom to call, and the number, as they were handed out.
  add column contact_id text collate "C",
  add column phone jsonb,
  add constraint dialer_lead_state_check check (state in ('pending', 'leased', 'called', 'skipped'));
update dialer_lead e
  set state = case when e.user_id is not null and not e.is_skipped then 'called' when e.position <= d.position then 'skipped' else 'pending' end
  from dialer d where d.organization_id = e.organization_id and d.id = e.dialer_id and e.position <= d.position;
alter table dialer_lead drop column is_skipped;
create index dialer_lead_open_idx on dialer_lead (organization_id, dialer_id, position) where state in ('pending', 'leased');
create index dialer_lead_taken_idx on dialer_lead (organization_id, dialer_id, user_id, taken_at) where taken_at is not null;

alter table dialer add column skip_rules jsonb not null default
  '{"min_hours_between": null, "max_attempts": null, "local_hours": "08:00-21:00", "exclude_dnc": true, "exclude_called_today": false}';
alter table contact add column do_not_call boolean not null default false;

create index activity_dialer_idx on activity (organization_id, dialer_id, activity_at) where dialer_id is not null;
