-- The addresses of automations that other services call, and what each has received in the last days.
alter table automation
  add column hook_hash text collate "C",
  add column sealed_hook_token text,
  add column sealed_hook_secret text,
  add column sealed_hook_previous text,
  add column hook_previous_until timestamptz(3),
  add column hook_refused bigint not null default 0,
  drop column webhook_url;
create unique index automation_hook_hash_key on automation (hook_hash, organization_id) where hook_hash is not null;

create table received_hook (
  organization_id text collate "C" not null references organization (id),
  automation_id text collate "C" not null,
  key text collate "C" not null,
  event_id text collate "C" not null,
  date_created timestamptz(3) not null,
  primary key (organization_id, automation_id, key)
);
create index received_hook_old_idx on received_hook (date_created);
call tenant_table('received_hook');
