-- A type of custom object: a kind of record that an organization adds, such as a vehicle or a contract.
create table custom_object_type (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text not null,
  name_plural text not null,
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
create unique index custom_object_type_name_key on custom_object_type (organization_id, lower(name));
call tenant_table('custom_object_type');
call reference('custom_field', 'custom_object_type_id', 'custom_object_type');
call reference('custom_field', 'referenced_custom_type_id', 'custom_object_type');

-- A record of such a type. It belongs to a lead.
create table custom_object (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  custom_object_type_id text collate "C" not null,
  lead_id text collate "C" not null,
  name text not null,
  custom jsonb not null default '{}',
  search tsvector,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('custom_object');
call rendered_table('custom_object');
call reference('custom_object', 'custom_object_type_id', 'custom_object_type');
call reference('custom_object', 'lead_id', 'lead');
create index custom_object_date_created_idx on custom_object (organization_id, date_created desc, id desc);
create index custom_object_date_updated_idx on custom_object (organization_id, date_updated desc, id desc);
create index custom_object_search_idx on custom_object using gin (search);
create index custom_object_custom_idx on custom_object using gin (organization_id, custom jsonb_path_ops);
