-- How the file of an export is written, whether bulk work looks at its query again, and which sources an enrichment has asked.
alter table export
  add column timezone text,
  add column dialect jsonb not null default '{}',
  add column compression text not null default 'none' check (compression in ('none', 'gzip'));
alter table bulk_action add column recheck_query boolean not null default false;
alter table enrichment add column providers jsonb not null default '[]';
