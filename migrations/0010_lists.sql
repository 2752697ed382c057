-- Lists of contacts and of leads, and who is on them.

-- A list of contacts that members put together, or that was copied from a source of synced profiles.
create table contact_list (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text not null,
  source text not null default 'internal',
  description text,
  is_read_only boolean not null default false,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('contact_list');
create unique index contact_list_name_key on contact_list (organization_id, lower(name));
create index contact_list_sort_idx on contact_list (organization_id, sort_key(name), id);

-- A contact on a list, once.
create table contact_list_member (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  list_id text collate "C" not null,
  contact_id text collate "C" not null,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('contact_list_member');
call reference('contact_list_member', 'list_id', 'contact_list');
call reference('contact_list_member', 'contact_id', 'contact');
create unique index contact_list_member_contact_id_key on contact_list_member (organization_id, list_id, contact_id);

-- A list of leads that members put together, or that was copied from a source of synced profiles.
create table lead_list (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text not null,
  source text not null default 'internal',
  description text,
  is_read_only boolean not null default false,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('lead_list');
create unique index lead_list_name_key on lead_list (organization_id, lower(name));
create index lead_list_sort_idx on lead_list (organization_id, sort_key(name), id);

-- A lead on a list, once.
create table lead_list_member (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  list_id text collate "C" not null,
  lead_id text collate "C" not null,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('lead_list_member');
call reference('lead_list_member', 'list_id', 'lead_list');
call reference('lead_list_member', 'lead_id', 'lead');
create unique index lead_list_member_lead_id_key on lead_list_member (organization_id, list_id, lead_id);
