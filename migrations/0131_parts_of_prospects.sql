-- When a prospect is converted, its attachments become files of the lead and stay known here, so that they are the prospect's again when
-- the conversion is undone. The bytes are the file's as long as the part is taken.
alter table prospect_file add column taken_at timestamptz(3);
create index prospect_file_storage_key_idx on prospect_file (organization_id, storage_key);

drop trigger remove_stored_bytes on prospect_file;
create trigger remove_stored_bytes after delete on prospect_file for each row when (old.taken_at is null) execute function remove_stored_bytes();

-- A file that goes takes its bytes along, unless a prospect has them.
create function remove_bytes_of_file() returns trigger
  language plpgsql as $$
begin
  if exists (select from prospect_file p
      where p.organization_id = old.organization_id and p.storage_key = old.storage_key and p.taken_at is null) then
    return null;
  end if;
  delete from prospect_file p where p.organization_id = old.organization_id and p.storage_key = old.storage_key;
  insert into stored_bytes_removal (organization_id, storage_key, due) values (old.organization_id, old.storage_key, now())
  on conflict (organization_id, storage_key) do update set due = excluded.due;
  return null;
end $$;
drop trigger remove_stored_bytes on file;
create trigger remove_stored_bytes after delete on file for each row execute function remove_bytes_of_file();
