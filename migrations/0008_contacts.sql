-- A person at a lead.
create table contact (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  lead_id text collate "C" not null,
  name text,
  display_name text not null,
  title text,
  emails jsonb not null default '[]',
  phones jsonb not null default '[]',
  urls jsonb not null default '[]',
  tags text[] not null default '{}',
  timezone text,
  timezone_source text,
  custom jsonb not null default '{}',
  -- The same on all contacts that are one shared person, in several organizations; one contact in each.
  share_id text collate "C",
  shared_at timestamptz(3),
  enrichment_status text,
  enriched_at timestamptz(3),
  external_profiles jsonb not null default '[]',
  email_keys text[] not null default '{}',
  phone_keys text[] not null default '{}',
  search tsvector,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('contact');
call rendered_table('contact');
call reference('contact', 'lead_id', 'lead');
create index contact_date_created_idx on contact (organization_id, date_created desc, id desc);
create index contact_date_updated_idx on contact (organization_id, date_updated desc, id desc);
-- See lead_search_idx.
create index contact_search_idx on contact using gin (search) with (fastupdate = off);
create index contact_values_idx on contact using gin (organization_id, custom jsonb_path_ops, tags, email_keys, phone_keys);
-- Which contacts a synced profile puts on a list of its source.
create index contact_external_profiles_idx on contact using gin (organization_id, external_profiles jsonb_path_ops)
  where external_profiles <> '[]';
create unique index contact_share_id_key on contact (share_id, organization_id) where share_id is not null;
