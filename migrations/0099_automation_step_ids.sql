-- Steps have the same name in runs as in graphs and errors.
alter table automation_run rename column current_node_id to current_step_id;
alter table automation_step_run rename column node_id to step_id;
alter index automation_step_run_node_idx rename to automation_step_run_step_idx;
