-- Work in the background: which record somebody has to look at and when, and how far readers of the log have come.

-- A wake-up: at most one for each record and kind of work. What is to be done there, the record itself says.
create table job (
  organization_id text collate "C" not null references organization (id),
  kind text collate "C" not null,
  object_id text collate "C" not null,
  -- `scheduled` until its time has come, then `ready`, then `claimed` by a worker; a job that is done is no row any more.
  state text not null check (state in ('scheduled', 'ready', 'claimed')),
  due_at timestamptz(3) not null,
  -- The token that the worker who claimed it shows at every commit, and until when nobody else may claim it.
  claim text,
  claimed_until timestamptz(3),
  -- Somebody asked for it while it was claimed: from when on it is due again.
  woken_at timestamptz(3),
  failures integer not null default 0,
  -- How many workers ended in the middle of it.
  crashes integer not null default 0,
  latest_error text,
  primary key (organization_id, kind, object_id),
  check ((state = 'claimed') = (claim is not null and claimed_until is not null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
call tenant_table('job');
-- Three short indexes by state: whoever looks for work does not pass what only sleeps.
create index job_ready_idx on job (kind, organization_id, due_at, object_id) where state = 'ready';
create index job_due_at_idx on job (due_at) where state = 'scheduled';
create index job_claimed_until_idx on job (claimed_until) where state = 'claimed';

-- How far a consumer has read the log of an organization. A place of its own for each organization: where organizations lie on several
-- servers, each server counts its own transactions.
create table consumer (
  organization_id text collate "C" not null references organization (id),
  name text collate "C" not null,
  cursor_epoch bigint not null,
  cursor_position bigint not null,
  cursor_seq bigint not null default 0,
  primary key (organization_id, name)
) with (fillfactor = 50);
call tenant_table('consumer');
-- What is consumed is what is committed from now on.
create trigger place_consumer before insert on consumer for each row when (new.cursor_position is null) execute function place_webhook();

-- When each of the service's own timers fires next. They belong to no organization.
create table timer (
  name text primary key,
  due_at timestamptz(3) not null
);
grant select, insert, update on timer to headwater_system;
