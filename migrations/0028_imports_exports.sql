-- Records that come in as a table, and records that leave as a file.

-- A table of records to bring in. It begins as a draft with the columns that were found; a mapping queues it.
create table import (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text not null,
  object_type text not null,
  status text not null default 'draft'
    check (status in ('draft', 'queued', 'processing', 'done', 'error', 'reverting', 'reverted')),
  columns jsonb not null,
  mapping jsonb,
  options jsonb not null default '{}',
  n_rows integer not null,
  n_processed integer not null default 0,
  n_created integer not null default 0,
  n_updated integer not null default 0,
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
call tenant_table('import');
create index import_date_created_idx on import (organization_id, date_created desc, id desc);
create index import_status_idx on import (organization_id, status, date_created desc, id desc);

-- The rows of that table in their order: a list of texts, one for each column, null where a row is short.
create table import_row (
  organization_id text collate "C" not null references organization (id),
  import_id text collate "C" not null,
  n integer not null,
  cells jsonb not null,
  primary key (organization_id, import_id, n),
  constraint import_row_import_id_fkey foreign key (organization_id, import_id) references import (organization_id, id)
    deferrable initially immediate
);
call tenant_table('import_row');

-- Records written to a file to take along. The file is kept by the service; it is not one of the organization's files.
create table export (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  object_type text not null check (object_type in ('lead', 'opportunity')),
  format text not null default 'csv' check (format in ('csv', 'json')),
  type text not null,
  s_query jsonb,
  query text,
  results_limit integer,
  sort jsonb not null default '[]',
  params jsonb not null default '{}',
  fields text[],
  date_format text not null default 'original',
  include_activities boolean not null default false,
  include_smart_fields boolean not null default false,
  include_addresses boolean not null default false,
  include_custom_objects boolean not null default false,
  send_done_email boolean not null default true,
  status text not null default 'created' check (status in ('created', 'started', 'in_progress', 'done', 'error')),
  n_docs integer,
  n_docs_processed integer not null default 0,
  -- Where its bytes lie once it is done.
  storage_key text collate "C",
  date_started timestamptz(3),
  date_completed timestamptz(3),
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('export');
create index export_date_created_idx on export (organization_id, date_created desc, id desc);
