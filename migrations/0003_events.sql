-- The log of what happened, and the feed that readers follow.

-- What tells one life of a server from another. Counts of transactions begin anew where the data comes to another server, and some are
-- used again where it goes back in time or breaks off. After a crash PostgreSQL forgets its statistics, also where it goes on running.
create function server_life() returns text
  language sql stable
  return (select concat_ws('/', system_identifier, timeline_id, extract(epoch from pg_postmaster_start_time()),
    extract(epoch from pg_stat_get_bgwriter_stat_reset_time())) from pg_control_system(), pg_control_checkpoint());

-- Each of these lives is an epoch of its own.
create table event_epoch (
  epoch bigint not null,
  server text not null
);
insert into event_epoch values (1, server_life());
grant select on event_epoch to headwater_app, headwater_system;

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
  -- Filled when an OAuth application acts.
  oauth_client_id text collate "C",
  oauth_scope text,
  request_id text,
  changed_fields text[] not null default '{}',
  previous_data json not null default '{}',
  data json not null default '{}',
  meta json not null default '{}',
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  -- The order of the feed: by epoch, position and seq. The default of `epoch` is a constant that `begin_event_epoch` raises; `position`
  -- and `xid` come from `place_event`. Identity values are handed out before the commit, so `seq` alone is no order of commits.
  epoch bigint not null default 1,
  position bigint not null,
  seq bigint generated always as identity,
  xid xid8 not null,
  primary key (organization_id, id)
) partition by range (id);
create table event_default partition of event default;
call tenant_table('event');
create index event_object_id_idx on event (organization_id, object_id, id desc);
create index event_lead_id_idx on event (organization_id, lead_id, id desc) where lead_id is not null;
-- Newest first, and newest first of one name.
create index event_date_created_idx on event (organization_id, date_created desc, id desc);
create index event_event_idx on event (organization_id, event, date_created desc, id desc);
create index event_position_idx on event (organization_id, epoch, position, seq);

-- Places an event in the feed: behind the last transaction that is over, or at its own if that came later. So whoever waited for
-- another's commit gets a higher position, or the same and a later `seq`, and what is not committed yet lies above every transaction that
-- is over. This is a trigger and no default: where the table is spread over several servers, one of them takes the defaults, but only
-- the server where the row lies counts the transactions that readers of the row wait for. Restored rows keep their place.
create function place_event() returns trigger
  language plpgsql stable as $$
begin
  new.xid := pg_current_xact_id();
  new.position := greatest(new.xid::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1);
  return new;
end $$;
create trigger place_event before insert on event for each row when (new.position is null) execute function place_event();

-- Begins an epoch if the server lives another life than before, and waits for those who write in the one before. The clock counts the
-- epochs, in milliseconds: the server that a restored backup came from may have begun further ones since, and whoever read on there must
-- not be ahead of us. Every connection that writes calls this first; the service's own role may.
create procedure begin_event_epoch()
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  present bigint;
begin
  update event_epoch set epoch = greatest(epoch + 1, (extract(epoch from now()) * 1000)::bigint), server = server_life() where server <> server_life() returning epoch into present;
  if found then
    execute format('alter table event alter column epoch set default %s', present);
  end if;
end $$;

-- An event as `GET /event/` shows it. Events have no author beside `user_id` and no versions: they are never rewritten.
create view stored_event with (security_invoker = true) as
  select e.*, null::text as created_by, null::text as updated_by, 1 as version from event e;
grant select on stored_event to headwater_app, headwater_system;
