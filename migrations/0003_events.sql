-- The log of what happened, and the feed that readers follow.

-- What tells one life of a server from another. Counts of transactions begin anew where the data comes to another server, and some are
-- used again where it goes back in time or breaks off.
create function server_life() returns text
  language sql stable
  return (select concat_ws('/', system_identifier, timeline_id, extract(epoch from pg_postmaster_start_time())) from pg_control_system(), pg_control_checkpoint());

-- Each of these lives is an epoch of its own.
create table event_epoch (
  epoch integer not null,
  server text not null
);
insert into event_epoch values (1, server_life());
grant select on event_epoch to headwater_app;

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
  -- The order of the feed. The default of `epoch` is a constant that `begin_event_epoch` raises.
  epoch integer not null default 1,
  -- The last transaction that was over when the row was written, or its own where that came later. So whoever waited for another's commit
  -- writes a higher position, or the same and a later `seq`; and what is not committed yet lies above every transaction that is over.
  position bigint not null default greatest(pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1),
  -- Identity values are handed out before the commit, so `seq` alone is no order of commits.
  seq bigint generated always as identity,
  xid xid8 not null default pg_current_xact_id(),
  primary key (organization_id, id)
) partition by range (id);
create table event_default partition of event default;
call tenant_table('event');
create index event_object_id_idx on event (organization_id, object_id, id desc);
create index event_lead_id_idx on event (organization_id, lead_id, id desc) where lead_id is not null;
-- Newest first, and newest first of one name.
create index event_date_created_idx on event (organization_id, date_created desc, id desc);
create index event_event_idx on event (organization_id, event, date_created desc, id desc);
create index event_request_id_idx on event (organization_id, request_id);
create index event_position_idx on event (organization_id, epoch, position, seq);

-- Begins an epoch if the server lives another life than before. Waits for those who write in the one before.
create procedure begin_event_epoch()
  language plpgsql as $$
declare
  present integer;
begin
  update event_epoch set epoch = epoch + 1, server = server_life() where server <> server_life() returning epoch into present;
  if found then
    execute format('alter table event alter column epoch set default %s', present);
  end if;
end $$;

-- An event as `GET /event/` shows it. Events have no author beside `user_id` and no versions: they are never rewritten.
create view stored_event with (security_invoker = true) as
  select e.*, null::text as created_by, null::text as updated_by, 1 as version from event e;
grant select on stored_event to headwater_app, headwater_system;
