-- What happened: one row for each change, written in the change's own transaction and never rewritten. Partitioned by its
-- time-ordered id, so that old months are dropped whole; `headwater` creates the partitions ahead of time.
create table event (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  object_type text not null,
  action text not null,
  event text not null,
  object_id text collate "C" not null,
  lead_id text collate "C",
  user_id text collate "C",
  api_key_id text collate "C",
  request_id text,
  changed_fields text[] not null default '{}',
  previous_data json not null default '{}',
  data json not null default '{}',
  meta json not null default '{}',
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  -- Commit order for consumers: identity values are handed out before commit, so a cursor also waits for the transaction's horizon.
  xid xid8 not null default pg_current_xact_id(),
  seq bigint generated always as identity,
  primary key (organization_id, id)
) partition by range (id);
create table event_default partition of event default;
create index event_object_id_idx on event (organization_id, object_id, id desc);
create index event_lead_id_idx on event (organization_id, lead_id, id desc) where lead_id is not null;
call tenant_table('event');

-- Answers to writes with an Idempotency-Key, kept for a day.
create table idempotency_key (
  organization_id text collate "C" not null references organization (id),
  holder text not null,
  method text not null,
  path text not null,
  key text not null,
  fingerprint text not null,
  status integer not null,
  headers json not null,
  body text not null,
  date_created timestamptz(3) not null,
  primary key (organization_id, holder, method, path, key)
);
create index idempotency_key_date_created_idx on idempotency_key (date_created);
call tenant_table('idempotency_key');
