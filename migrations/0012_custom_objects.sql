-- The records of the types of custom objects. Each belongs to a lead.

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
