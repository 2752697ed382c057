-- Archives of whole workspaces, which their admins ask for.
create table organization_export (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'error')),
  size bigint,
  checksum_sha256 text,
  error text,
  expires_at timestamptz(3),
  date_started timestamptz(3),
  date_completed timestamptz(3),
  storage_key text collate "C",
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('organization_export');
create index organization_export_date_created_idx on organization_export (organization_id, date_created desc, id desc);
create index organization_export_expires_at_idx on organization_export (expires_at) where storage_key is not null;
create trigger forget_export_bytes after update of storage_key on organization_export for each row
  when (old.storage_key is not null and new.storage_key is distinct from old.storage_key) execute function remove_export_bytes();
create trigger remove_export_bytes after delete on organization_export for each row
  when (old.storage_key is not null) execute function remove_export_bytes();
