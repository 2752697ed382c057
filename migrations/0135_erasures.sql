-- The erasing of people, with the receipts. What was looked for is only kept while the work goes on.
create table erasure (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  contact_id text collate "C" not null,
  lead_id text collate "C" not null,
  keep_files boolean not null,
  status text not null check (status in ('queued', 'running', 'completed')),
  receipt jsonb,
  date_started timestamptz(3),
  date_completed timestamptz(3),
  person jsonb,
  place jsonb,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('erasure');
create index erasure_date_created_idx on erasure (organization_id, date_created desc, id desc);
create index erasure_contact_idx on erasure (organization_id, contact_id);
