-- What organizations add to the model: fields of their own, and types of activities and objects that have such fields.

-- A type of custom activity: what an organization records beside calls and notes, such as a site visit. Its fields are the
-- custom fields that name it.
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
call tenant_table('custom_activity_type');
create unique index custom_activity_type_name_key on custom_activity_type (organization_id, lower(name));

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
call tenant_table('custom_object_type');
create unique index custom_object_type_name_key on custom_object_type (organization_id, lower(name));

-- A field that an organization adds to a kind of record. The values lie in the records' own `custom` column under
-- `custom.<id of the field>`; nothing here says which records have one.
create table custom_field (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  object_type text not null,
  name text not null,
  type text not null,
  description text,
  choices jsonb,
  accepts_multiple_values boolean not null default false,
  editable_with_roles text[] not null default '{}',
  required boolean not null default false,
  custom_activity_type_id text collate "C",
  custom_object_type_id text collate "C",
  referenced_custom_type_id text collate "C",
  back_reference_is_visible boolean not null default false,
  -- Of shared fields: the kinds of record that have it, and what holds for it there.
  associations jsonb not null default '[]',
  position integer not null,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('custom_field');
call reference('custom_field', 'custom_activity_type_id', 'custom_activity_type');
call reference('custom_field', 'custom_object_type_id', 'custom_object_type');
call reference('custom_field', 'referenced_custom_type_id', 'custom_object_type');
-- Custom activities and custom objects of each type name their fields apart.
create unique index custom_field_name_key
  on custom_field (organization_id, object_type, coalesce(custom_activity_type_id, custom_object_type_id, ''), lower(name));
create index custom_field_position_idx on custom_field (organization_id, object_type, position, id);
