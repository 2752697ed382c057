-- Deliveries to webhooks: what was sent, and what came of it.

alter table webhook
  add column ordering text not null default 'none' check (ordering in ('none', 'object')),
  add column coalesce_ms integer not null default 0,
  -- The key before the present one, which signs along until a time.
  add column sealed_previous_key text,
  add column previous_key_until timestamptz(3),
  -- How many attempts failed since one succeeded; `failing_since` is when the first of them did.
  add column failures_in_row integer not null default 0,
  add column last_success_at timestamptz(3),
  add column last_failure jsonb,
  -- Set while nothing is sent but one delivery at this time, to see whether the receiver is back; `probes` counts those that failed.
  add column probe_at timestamptz(3),
  add column probes integer not null default 0,
  add column oldest_pending_at timestamptz(3);

-- Who skips the backlog is placed anew.
create trigger place_webhook_again before update on webhook for each row when (new.cursor_position is null) execute function place_webhook();

-- One row for each event that was sent to a webhook, or is to be sent again. What a webhook has not read of the log yet has no row.
-- Partitioned by its time-ordered id as events are. It outlives its webhook until its month is dropped.
create table webhook_delivery (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  webhook_id text collate "C" not null,
  event_id text collate "C" not null,
  -- Earlier updates of the same record that it tells of as well, oldest first.
  coalesced_ids text[] not null default '{}',
  event text not null,
  object_id text collate "C" not null,
  status text not null check (status in ('pending', 'retrying', 'succeeded', 'failed')),
  attempt_count integer not null default 0,
  attempts jsonb not null default '[]',
  http_status integer,
  error text,
  next_at timestamptz(3),
  -- The schedule it is tried by began here, and so often it was tried since.
  tried_since timestamptz(3) not null,
  tries integer not null default 0,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id),
  check ((next_at is not null) = (status in ('pending', 'retrying')))
) partition by range (id);
create table webhook_delivery_default partition of webhook_delivery default;
call tenant_table('webhook_delivery');
create index webhook_delivery_webhook_id_idx on webhook_delivery (organization_id, webhook_id, date_created desc, id desc);
-- Few are open: a receiver that is away costs a place in the log, and not a row for each event.
create index webhook_delivery_next_at_idx on webhook_delivery (organization_id, webhook_id, next_at) where next_at is not null;

-- Webhooks that were there before anything was delivered: they begin where they were made, as far as events are kept.
set local role headwater_system;
insert into consumer (organization_id, name)
  select distinct organization_id, 'webhooks' from webhook where status = 'active' on conflict do nothing;
insert into job (organization_id, kind, object_id, state, due_at)
  select organization_id, 'webhook', id, 'ready', now() from webhook where status = 'active' on conflict do nothing;
reset role;
