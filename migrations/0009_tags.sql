-- The tags leads have, each in the one spelling that every lead shows. A lead carries their names.
create table lead_tag (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text not null,
  color text,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('lead_tag');
create unique index lead_tag_name_key on lead_tag (organization_id, lower(name));
create index lead_tag_sort_idx on lead_tag (organization_id, sort_key(name), id);

-- The tags contacts have; a list of their own.
create table contact_tag (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text not null,
  color text,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('contact_tag');
create unique index contact_tag_name_key on contact_tag (organization_id, lower(name));
create index contact_tag_sort_idx on contact_tag (organization_id, sort_key(name), id);
