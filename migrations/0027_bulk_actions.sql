-- One thing done to many records: edited, deleted, written to, or taken into sequences. All kinds share the table; `kind` tells them
-- apart, and columns of other kinds are null.
create table bulk_action (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  kind text not null check (kind in ('edit', 'delete', 'email', 'sequence_subscription')),
  status text not null default 'created'
    check (status in ('created', 'loading', 'processing', 'done', 'paused', 'resuming', 'error')),
  -- Which records: exactly one of the three.
  s_query jsonb,
  query text,
  object_ids text[],
  sort jsonb not null default '[]',
  results_limit integer,
  n_objects integer,
  n_objects_processed integer not null default 0,
  n_leads integer,
  n_leads_processed integer not null default 0,
  n_failed integer not null default 0,
  errors jsonb not null default '[]',
  send_done_email boolean not null default true,
  date_started timestamptz(3),
  date_paused timestamptz(3),
  date_completed timestamptz(3),

  -- Edit.
  type text,
  lead_status_id text collate "C",
  custom_field_id text collate "C",
  custom_field_value jsonb,
  custom_field_operation text,
  owner_id text collate "C",
  tag text,
  object_type text,
  fields jsonb,

  -- Delete.
  bulk_object_type text,

  -- E-mail and sequences.
  template_id text collate "C",
  contact_preference text,
  sender text,
  email_account_id text collate "C",
  subject text,
  action_type text,
  sequence_id text collate "C",
  sender_account_id text collate "C",
  sender_name text,
  sender_email text,
  calls_assigned_to text[],
  from_phone_number_id text collate "C",

  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('bulk_action');
call reference('bulk_action', 'template_id', 'email_template');
create index bulk_action_date_created_idx on bulk_action (organization_id, date_created desc, id desc);
create index bulk_action_status_idx on bulk_action (organization_id, status, date_created desc, id desc);
