-- Reads the lists of mailing platforms, so that contacts say which of them they are on.
create table list_sync (
  organization_id text collate "C" not null references organization (id),
  service text collate "C" not null,
  status text not null default 'waiting' check (status in ('waiting', 'reading', 'applying')),
  -- The lists that are being read and the place in them, or the last contact that was compared.
  place jsonb,
  started_at timestamptz(3),
  completed_at timestamptz(3),
  n_members integer not null default 0,
  n_unknown integer not null default 0,
  error text,
  tries integer not null default 0,
  primary key (organization_id, service)
);
call tenant_table('list_sync');

-- What the present reading found: the lists of each contact.
create table list_sync_profile (
  organization_id text collate "C" not null references organization (id),
  service text collate "C" not null,
  contact_id text collate "C" not null,
  external_id text not null,
  list_names text[] not null,
  primary key (organization_id, service, contact_id)
);
call tenant_table('list_sync_profile');

set local role headwater_system;
insert into job (organization_id, kind, object_id, state, due_at)
  select organization_id, 'list_sync', service, 'ready', now() from credential where service in ('mailchimp', 'brevo')
  on conflict do nothing;
reset role;
