-- The mail of an automation's runs, for its statistics.
create index activity_automation_run_idx on activity (organization_id, automation_run_id) where automation_run_id is not null;
