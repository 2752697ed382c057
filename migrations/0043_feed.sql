-- The feed: all events of an organization in one order, which a reader follows without missing any.

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

-- Begins an epoch if the server lives another life than before. Who writes in the one before is waited for.
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

-- The constant is raised by the procedure above. What was written before this migration is followed in the order of `seq` alone.
alter table event add column epoch integer not null default 1;
alter table event add column position bigint not null default 3;
-- The last transaction that was over when the row was written, or its own where that came later. So whoever waited for another's commit
-- writes a higher position, or the same and a later `seq`; and what is not committed yet lies above every transaction that is over.
alter table event alter column position
  set default greatest(pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1);
create index event_position_idx on event (organization_id, epoch, position, seq);

drop view stored_event;
create view stored_event with (security_invoker = true) as
  select e.*, null::text as created_by, null::text as updated_by, 1 as version from event e;
grant select on stored_event to headwater_app;
