-- Changes of custom fields and types that touch more records than one transaction should. Each goes on in the background; until it is
-- done, its row says what readers do not see any more.

create table custom_data_change (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  -- The field whose values are removed or converted, which may be gone itself; or the type whose records are removed.
  field_id text collate "C",
  type_id text collate "C",
  -- Where values are removed or converted, and which of these places keep them.
  places jsonb not null default '[]',
  staying jsonb not null default '[]',
  -- What a field becomes whose values are converted, and whether values that it cannot hold are dropped.
  becomes jsonb,
  drops boolean not null default false,
  -- How far it has come: all records of tables before this one, and of this one up to the id.
  reached_table text collate "C" not null default '',
  reached_id text collate "C" not null default '',
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('custom_data_change');

alter table custom_field add column converting_to_type text;
-- A type is deleted at once, and its row when the last of its records is.
alter table custom_activity_type add column is_deleted boolean not null default false;
alter table custom_object_type add column is_deleted boolean not null default false;
