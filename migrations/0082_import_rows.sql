-- What becomes of the rows of an import, and what it takes to revert that.
alter table import_row
  add column status text not null default 'pending' check (status in ('pending', 'created', 'updated', 'skipped', 'failed')),
  add column object_ids text[] not null default '{}',
  add column errors jsonb not null default '[]',
  -- What the rows of one lead have in common.
  add column key text collate "C",
  add column kept jsonb;
create index import_row_status_idx on import_row (organization_id, import_id, status, n);
create index import_row_key_idx on import_row (organization_id, import_id, key) where key is not null;

alter table import add column error text;

-- Rows find existing leads by them.
create index lead_name_idx on lead (organization_id, sort_key(name)) where name is not null;
create index lead_host_idx on lead (organization_id, lower(substring(url from '^[a-z]+://(?:www\.)?([^/:?#]+)'))) where url is not null;
