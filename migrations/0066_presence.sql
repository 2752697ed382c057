-- When a member who is online last said so. It is no part of the membership, which is in every process's memory and has events.
create table presence (
  organization_id text collate "C" not null references organization (id),
  user_id text collate "C" not null,
  heard_at timestamptz(3) not null,
  date_created timestamptz(3) not null,
  primary key (organization_id, user_id)
);
call tenant_table('presence');
