-- Records that an automation is started for by hand, many at once: their ids as they were found, and how far it has come.
create table automation_batch (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  automation_id text collate "C" not null,
  ids text[] not null,
  position integer not null default 0,
  input jsonb not null,
  user_id text collate "C" not null,
  date_created timestamptz(3) not null,
  primary key (organization_id, id)
);
call tenant_table('automation_batch');
alter table automation_run add column bulk_action_id text collate "C";
