-- What a step asks another service, until it was answered: a step that is carried out once more asks for the same.
alter table automation_step_run add column sealed_request text;
create index automation_step_run_open_idx on automation_step_run (organization_id, run_id) where status in ('running', 'waiting');
