-- Erasing an organization step by step, and telling which workers live.

-- Set when an organization was deleted: nobody reaches it any more, and its rows are being removed.
alter table organization add column erased_at timestamptz(3);
create index organization_erased_idx on organization (id) where erased_at is not null;

-- The processes that work in the background. Each writes its row again and again, so that a missing one is noticed.
create table worker (
  id text primary key,
  host text not null,
  pid integer not null,
  started_at timestamptz(3) not null,
  seen_at timestamptz(3) not null,
  -- Failures that nobody awaited; after each it began anew.
  defects integer not null default 0
);
grant select, insert, update, delete on worker to headwater_system;

-- What an operator is told of a timer: when it began last, and what was wrong.
alter table timer
  add column fired_at timestamptz(3),
  add column failures integer not null default 0,
  add column latest_error text;
