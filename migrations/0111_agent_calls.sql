-- What agents did by their tools.
create table agent_call (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  tool text not null,
  arguments_hash text not null,
  object_ids text[] not null default '{}',
  status integer not null,
  error text,
  is_dry_run boolean not null default false,
  duration_ms integer not null,
  bytes integer not null,
  request_id text not null,
  api_key_id text,
  oauth_client_id text,
  oauth_grant_id text,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('agent_call');
create index agent_call_date_created_idx on agent_call (organization_id, date_created desc, id desc);
create index agent_call_created_by_idx on agent_call (organization_id, created_by, date_created desc, id desc);
create index agent_call_old_idx on agent_call (date_created);
