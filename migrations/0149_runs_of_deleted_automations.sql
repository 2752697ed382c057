-- The runs of an automation outlast it, so that it can be known later why something happened. They show its name.
alter table automation_run drop constraint automation_run_automation_id_fkey, drop constraint automation_run_version_id_fkey,
  add column kept_automation_name text;
