-- Who was assigned last, for steps that take the members of a pool in turn.
create index automation_step_run_assigned_idx on automation_step_run (organization_id, node_id, id desc)
  where type = 'owner.assign' and status = 'succeeded';
