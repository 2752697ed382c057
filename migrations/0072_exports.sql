-- What a finished export tells of its file, and its two further formats.
alter table export
  add size bigint,
  add checksum_sha256 text,
  add expires_at timestamptz(3),
  add error text,
  drop constraint export_format_check,
  add constraint export_format_check check (format in ('csv', 'json', 'jsonl', 'xlsx'));
create index export_expires_at_idx on export (expires_at) where storage_key is not null;

-- Bytes that no export names any more are removed, however it came.
create function remove_export_bytes() returns trigger
  language plpgsql as $$
begin
  insert into stored_bytes_removal (organization_id, storage_key, due) values (old.organization_id, old.storage_key, now())
  on conflict (organization_id, storage_key) do update set due = excluded.due;
  return null;
end $$;
create trigger remove_export_bytes after delete on export for each row when (old.storage_key is not null)
  execute function remove_export_bytes();
create trigger forget_export_bytes after update of storage_key on export for each row
  when (old.storage_key is not null and new.storage_key is distinct from old.storage_key) execute function remove_export_bytes();
