-- The run of an automation that asks by a task, and waits for its answer.
alter table task add column approval_run_id text collate "C";
create index task_approval on task (organization_id, approval_run_id) where approval_run_id is not null;
