-- What a run needs to go on where it was, and to say afterwards why it did what it did.

-- What a pause does with runs that are under way: they are held, or they finish.
alter table automation add column in_flight text;
-- The stamp of what is in force, which the consumer of the log compares before it trusts its memory.
create index automation_listening_idx on automation (organization_id) include (active_version_id, status) where status in ('active', 'paused');

alter table automation_run
  add column kind text not null default 'event',
  add column status_reason text,
  add column vars jsonb not null default '{}',
  add column wait jsonb,
  add column goal_id text,
  add column exit_id text,
  add column parent_run_id text collate "C",
  add column causation jsonb,
  add column is_test boolean not null default false,
  add column steps_executed bigint not null default 0,
  -- The event that started it, as it was: events are kept for a shorter time than a run may wait.
  add column started_by jsonb,
  -- The record, for an automation that runs only once at a time for it.
  add column enrol_key text collate "C";
-- However many workers start runs, there is one at a time for a record.
create unique index automation_run_enrol_key on automation_run (organization_id, automation_id, enrol_key)
  where enrol_key is not null and status in ('queued', 'running', 'waiting', 'held');
-- How often an automation ran for a record, and when last.
create index automation_run_enrolled_idx on automation_run (organization_id, automation_id, object_id, date_created);
-- Runs that are not over, for pausing and for publishing.
create index automation_run_living_idx on automation_run (organization_id, automation_id, status)
  where status in ('queued', 'running', 'waiting', 'held');

alter table automation_step_run
  add column sequence bigint not null default 0,
  add column iteration bigint not null default 0,
  add column attempts jsonb not null default '[]',
  add column effect jsonb;

-- What each automation made of an event.
alter table automation_event add column evaluations jsonb not null default '[]';
create index automation_event_old_idx on automation_event (date_created);

-- An event that a run waits for: in a step, as its goal, or as its exit. The consumer of the log finds these rows by the event's name and
-- one of its values.
create table automation_wait (
  organization_id text collate "C" not null references organization (id),
  run_id text collate "C" not null,
  purpose text not null,
  -- Of the step, goal or exit.
  name text not null,
  event text not null,
  match_key text not null,
  match_value text not null,
  match jsonb not null,
  condition jsonb,
  -- The event that came.
  event_id text collate "C",
  came_at timestamptz(3),
  date_created timestamptz(3) not null,
  primary key (organization_id, run_id, purpose, name, event),
  foreign key (organization_id, run_id) references automation_run (organization_id, id) on delete cascade
);
call tenant_table('automation_wait');
create index automation_wait_event_idx on automation_wait (organization_id, event, match_key, match_value) where event_id is null;

-- What is active is live from the next event on.
set local role headwater_system;
insert into consumer (organization_id, name)
  select distinct organization_id, 'automations' from automation where status = 'active' and active_version_id is not null
  on conflict do nothing;
reset role;
