-- Work with other services: audiences for mailings, and what they know of our records.

-- An audience handed to a mailing service: whom the filters find, and how far that is.
create table mailing_export (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  platform text not null,
  filters jsonb not null default '{}',
  config jsonb not null default '{}',
  match_count integer not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'completed', 'failed')),
  n_pushed integer not null default 0,
  n_skipped integer not null default 0,
  n_failed integer not null default 0,
  errors jsonb not null default '[]',
  date_started timestamptz(3),
  date_completed timestamptz(3),
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('mailing_export');
create index mailing_export_date_created_idx on mailing_export (organization_id, date_created desc, id desc);

-- Looking up what is known elsewhere of a lead or a contact.
create table enrichment (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  object_type text not null check (object_type in ('lead', 'contact')),
  object_id text collate "C" not null,
  lead_id text collate "C" not null,
  contact_id text collate "C",
  provider text not null check (provider in ('apollo', 'clearbit', 'hunter', 'internal')),
  status text not null default 'queued' check (status in ('queued', 'running', 'completed', 'no_match', 'failed')),
  requested_fields text[],
  overwrite boolean not null default false,
  result jsonb,
  fields_updated text[] not null default '{}',
  children_ids text[] not null default '{}',
  credits_used integer not null default 0,
  error text,
  started_at timestamptz(3),
  completed_at timestamptz(3),
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('enrichment');
call reference('enrichment', 'lead_id', 'lead');
call reference('enrichment', 'contact_id', 'contact');
create index enrichment_date_created_idx on enrichment (organization_id, date_created desc, id desc);
create index enrichment_object_id_idx on enrichment (organization_id, object_id, date_created desc, id desc);
