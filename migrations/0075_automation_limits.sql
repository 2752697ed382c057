-- What limits the runs of an automation: the circuit that a loop opens, and how many of them go on at once.

-- `{until, reason, trips, since}`: until when nothing starts, when it opened lately, and since when starts are counted.
alter table automation add column circuit jsonb;

-- `{key, mode, most}` of a run whose automation limits how many go on at once.
alter table automation_run add column concurrency jsonb;
-- However many workers start runs, one with a key goes on where others are skipped.
create unique index automation_run_alone_key on automation_run (organization_id, automation_id, (concurrency->>'key'))
  where concurrency->>'mode' = 'skip' and status in ('queued', 'running', 'waiting', 'held');
-- The runs with a key, and those that wait for their turn, the oldest first.
create index automation_run_turn_idx on automation_run (organization_id, automation_id, (concurrency->>'key'), date_created, id)
  where concurrency is not null and status in ('queued', 'running', 'waiting', 'held');
create index automation_run_parked_idx on automation_run (organization_id, automation_id, date_created, id)
  where concurrency is not null and status = 'queued';
