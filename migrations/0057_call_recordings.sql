-- Recordings and voicemails that lie at the telephony provider until a job has stored them here.
create table call_recording (
  organization_id text collate "C" not null references organization (id),
  -- The provider's own id, and that of the call.
  id text collate "C" not null,
  call_provider_id text collate "C" not null,
  account text not null,
  what text not null,
  seconds integer not null,
  -- Stored here, and still to be deleted at the provider.
  is_stored boolean not null default false,
  date_created timestamptz(3) not null,
  primary key (organization_id, id)
);
call tenant_table('call_recording');
