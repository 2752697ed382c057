-- The loops that a run is in. The list that a loop goes through is kept by the step run that began it, found by its place.
alter table automation_run add column loops jsonb not null default '[]';
create index automation_step_run_sequence_idx on automation_step_run (organization_id, run_id, sequence);
-- What a step of a run left last.
create index automation_step_run_node_idx on automation_step_run (organization_id, run_id, node_id, sequence);
