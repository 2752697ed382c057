-- With whose eyes the values in a run were read. Null is the service, which sees everything.
alter table automation_run add column seen_as_user_id text collate "C";
update automation_run r set seen_as_user_id = v.settings->>'run_as_user_id'
  from automation_version v where v.organization_id = r.organization_id and v.id = r.version_id and v.settings->>'run_as_user_id' is not null;
