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
call tenant_table('idempotency_key');
create index idempotency_key_date_created_idx on idempotency_key (date_created);
