-- An address that is told of events. It belongs to the member who created it.
create table webhook (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  url text not null,
  events text[] not null check (cardinality(events) > 0),
  event_filters jsonb,
  status text not null default 'active' check (status in ('active', 'paused')),
  verify_ssl boolean not null default true,
  -- Sealed, see `services/secrets.ts`: it is needed in clear to sign with, and shown to nobody again.
  sealed_signature_key text not null,
  pause_reason text,
  failing_since timestamptz(3),
  latest_error text,
  pending integer not null default 0,
  delivered bigint not null default 0,
  failed bigint not null default 0,
  -- Events up to this place in the feed are taken care of: a backlog is this place and nothing more.
  cursor_epoch bigint not null,
  cursor_position bigint not null,
  cursor_seq bigint not null default 0,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('webhook');
create index webhook_date_created_idx on webhook (organization_id, date_created desc, id desc);

-- A webhook is told of what is committed from now on.
create function place_webhook() returns trigger
  language plpgsql as $$
begin
  new.cursor_epoch := (select epoch from event_epoch);
  new.cursor_position := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
  return new;
end $$;
create trigger place_webhook before insert on webhook for each row when (new.cursor_position is null) execute function place_webhook();
