-- What the headers of an automation's requests prove themselves with. Its graph names it by its id, so that who reads the graph has
-- nothing. It is for one place: the host that the request went to when it was given.
create table automation_secret (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  automation_id text collate "C" not null,
  bound_to text not null,
  sealed_value text not null,
  date_created timestamptz(3) not null,
  primary key (organization_id, id)
);
call tenant_table('automation_secret');
create index automation_secret_automation_idx on automation_secret (organization_id, automation_id);
