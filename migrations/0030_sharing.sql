-- A run that shares many contacts with another organization. It is written in the organization they come from.
create table share_bulk (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  -- Another organization, so no foreign key of this one fits.
  target_organization_id text collate "C" not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'completed', 'failed')),
  selector jsonb not null,
  n_total integer not null default 0,
  n_processed integer not null default 0,
  n_shared integer not null default 0,
  n_skipped integer not null default 0,
  n_failed integer not null default 0,
  errors jsonb not null default '[]',
  date_started timestamptz(3),
  date_completed timestamptz(3),
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('share_bulk');
create index share_bulk_date_created_idx on share_bulk (organization_id, date_created desc, id desc);
