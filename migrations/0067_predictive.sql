-- Predictive dialers: members who wait for calls, calls that are placed ahead, and how many of them nobody took.
alter table dialer
  add column pacing double precision not null default 1.5,
  add column effective_type text not null default 'power',
  add column status_details text;
create table dialer_agent (
  organization_id text collate "C" not null references organization (id),
  dialer_id text collate "C" not null,
  user_id text collate "C" not null,
  -- When they last asked for the next lead.
  ready_at timestamptz(3) not null,
  date_created timestamptz(3) not null,
  primary key (organization_id, dialer_id, user_id),
  constraint dialer_agent_dialer_id_fkey foreign key (organization_id, dialer_id) references dialer (organization_id, id) on delete cascade
);
call tenant_table('dialer_agent');
alter table dialer_lead
  add column call_id text collate "C",
  drop constraint dialer_lead_state_check,
  add constraint dialer_lead_state_check check (state in ('pending', 'leased', 'dialing', 'called', 'skipped'));
drop index dialer_lead_open_idx;
create index dialer_lead_open_idx on dialer_lead (organization_id, dialer_id, position) where state in ('pending', 'leased', 'dialing');
create index dialer_lead_call_id_idx on dialer_lead (organization_id, call_id) where call_id is not null;
create index activity_by_dialers_idx on activity (organization_id, activity_at) where dialer_id is not null;
