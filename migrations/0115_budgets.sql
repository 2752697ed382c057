-- What one API key or one connection of an application may do at most, set by an admin.
create table budget (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  holder_id text collate "C" not null,
  writes_per_hour integer,
  writes_per_day integer,
  deletes_per_hour integer,
  deletes_per_day integer,
  messages_per_hour integer,
  messages_per_day integer,
  ai_tokens_per_hour integer,
  ai_tokens_per_day integer,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id),
  constraint budget_holder_id_key unique (organization_id, holder_id)
);
call tenant_table('budget');

-- How much of each is used in the present hour and day. Counted in the transaction of the write, so that what is undone costs nothing.
create table budget_use (
  organization_id text collate "C" not null references organization (id),
  holder_id text collate "C" not null,
  name text not null,
  begins timestamptz(3) not null,
  used bigint not null,
  primary key (organization_id, holder_id, name)
);
call tenant_table('budget_use');
