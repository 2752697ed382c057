-- How fast texts leave: when each line of them is free again.
create table text_pace (
  organization_id text collate "C" not null references organization (id),
  line text not null,
  free_at timestamptz(3) not null,
  date_created timestamptz(3) not null,
  primary key (organization_id, line)
);
call tenant_table('text_pace');
-- The turn that a text was given.
alter table activity add column turn_at timestamptz(3);
