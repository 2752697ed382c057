-- Leads and their statuses.

-- Where a lead stands. Every lead has one.
create table lead_status (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  label text not null,
  type text,
  color text,
  position integer not null,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('lead_status');
create unique index lead_status_label_key on lead_status (organization_id, lower(label));

-- A company one may sell to. Contacts, deals, tasks and activities hang off it.
create table lead (
  -- That the organization exists is checked through the status. A reference of its own would lock the organization's row in every
  -- write, for everybody who writes at the same time; the same holds for what belongs to a lead.
  organization_id text collate "C" not null,
  id text collate "C" not null,
  name text,
  display_name text not null,
  -- What a lead without a name is called after.
  first_contact_name text,
  url text,
  industry text,
  description text,
  status_id text collate "C" not null,
  owner_id text collate "C",
  mrr bigint,
  emails jsonb not null default '[]',
  phones jsonb not null default '[]',
  addresses jsonb not null default '[]',
  tags text[] not null default '{}',
  custom jsonb not null default '{}',
  score integer,
  score_grade text,
  score_reasons jsonb not null default '[]',
  scored_at timestamptz(3),
  source text not null default 'api',
  email_keys text[] not null default '{}',
  phone_keys text[] not null default '{}',
  search tsvector,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  -- With what the reports need of a lead, in the order of activity_lead_status_idx, so that the two are read side by side.
  primary key (organization_id, id) include (status_id, owner_id, created_by, date_created)
);
call tenant_table('lead');
call rendered_table('lead');
call reference('lead', 'status_id', 'lead_status');
call reference('lead', 'owner_id', 'membership', 'user_id');
-- The reports read from it who created how many, without reading the rows.
create index lead_date_created_idx on lead (organization_id, date_created desc, id desc) include (created_by);
create index lead_date_updated_idx on lead (organization_id, date_updated desc, id desc);
-- Several spans of time are asked for in one search, and each would go through the list of words that wait to be put into the index:
-- 8 ms for 3,000 leads. To put a lead's words into it at once takes 10 µs more than to put them on the list.
create index lead_search_idx on lead using gin (search) with (fastupdate = off);
-- One index for all of them: each column is looked up by itself, and a write keeps the organization's entries once.
create index lead_values_idx on lead using gin (organization_id, custom jsonb_path_ops, tags, email_keys, phone_keys);
