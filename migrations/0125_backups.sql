-- What an operator is told of scheduled backups. It is about the database itself, as `timer` and `worker` are.
create table backup (
  id text primary key,
  -- The archive's name in the folder or bucket.
  name text not null,
  state text not null check (state in ('running', 'done', 'failed')),
  started_at timestamptz(3) not null,
  ended_at timestamptz(3),
  bytes bigint,
  error text,
  check ((state = 'running') = (ended_at is null)),
  check ((state = 'failed') = (error is not null))
);
create index backup_started on backup (started_at);
grant select on backup to headwater_system;
