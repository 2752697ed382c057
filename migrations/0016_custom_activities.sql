-- A type of custom activity: what an organization records beside calls and notes, such as a site visit. Its fields are custom
-- fields that name it.
create table custom_activity_type (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text not null,
  description text,
  api_create_only boolean not null default false,
  editable_with_roles text[] not null default '{}',
  is_archived boolean not null default false,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
create unique index custom_activity_type_name_key on custom_activity_type (organization_id, lower(name));
call tenant_table('custom_activity_type');
call reference('custom_field', 'custom_activity_type_id', 'custom_activity_type');

-- The activities of such types are rows among the others; their values lie in `custom`.
alter table activity
  add column custom_activity_type_id text collate "C",
  add column last_published_at timestamptz(3);
call reference('activity', 'custom_activity_type_id', 'custom_activity_type');
create index activity_custom_idx on activity using gin (organization_id, custom jsonb_path_ops) where custom is not null;
