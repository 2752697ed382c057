-- Phone numbers, their porting from other carriers, and dialers.

-- A number of the organization, on which calls and messages come in and go out: a member's own, or one for a group.
create table phone_number (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  number text not null,
  label text not null default '',
  type text not null,
  status text not null,
  country text,
  carrier text,
  carrier_type text not null,
  is_group_number boolean not null default false,
  user_id text collate "C",
  participants text[] not null default '{}',
  phone_numbers text[] not null default '{}',
  forward_to text,
  forward_to_enabled boolean not null default false,
  press_1_to_accept boolean not null default false,
  voicemail_greeting_url text,
  sms_enabled boolean not null default true,
  mms_enabled boolean not null default true,
  supports_sms_to_countries text[] not null default '{}',
  supports_mms_to_countries text[] not null default '{}',
  is_premium boolean not null default false,
  is_verified boolean not null default false,
  was_ported boolean not null default false,
  last_billed_price text,
  next_billing_on date,
  address_id text,
  bundle_id text,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('phone_number');
call reference('phone_number', 'user_id', 'membership', 'user_id');
create unique index phone_number_number_key on phone_number (organization_id, number);

-- The number that a member's calls are made from is one of these.
call reference('membership', 'default_caller_id', 'phone_number');

-- An order to take numbers from one carrier to another. What proves to the carrier that it is ours lies sealed.
create table port (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  phone_numbers text[] not null default '{}',
  country text,
  status text not null,
  status_details text,
  carrier_name text,
  sealed_account_number text,
  sealed_pin text,
  authorized_name text,
  billing_address jsonb,
  loa_file_id text collate "C",
  invoice_file_id text collate "C",
  requested_foc_date date,
  foc_date date,
  exceptions jsonb not null default '[]',
  submitted_at timestamptz(3),
  completed_at timestamptz(3),
  user_id text collate "C",
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('port');
call reference('port', 'user_id', 'membership', 'user_id');
create index port_date_created_idx on port (organization_id, date_created desc, id desc);
create index port_phone_numbers_idx on port using gin (organization_id, phone_numbers);

-- Leads to be called one after the other. `position` is how far the dialer has got in `dialer_lead`. No key points at the current and
-- the last lead: they may be gone.
create table dialer (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text,
  type text not null,
  status text not null,
  source_type text not null,
  source_value text,
  query jsonb,
  lead_list_id text collate "C",
  contact_list_id text collate "C",
  user_id text collate "C" not null,
  user_ids text[] not null default '{}',
  caller_id text collate "C",
  is_user_dependent boolean not null default false,
  ring_mode text,
  music_preference text,
  position integer not null default 0,
  n_leads integer not null default 0,
  n_called integer not null default 0,
  n_skipped integer not null default 0,
  current_lead_id text collate "C",
  last_lead_id text collate "C",
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('dialer');
call reference('dialer', 'user_id', 'membership', 'user_id');
call reference('dialer', 'caller_id', 'phone_number');
call reference('dialer', 'lead_list_id', 'lead_list');
call reference('dialer', 'contact_list_id', 'contact_list');
create index dialer_date_created_idx on dialer (organization_id, date_created desc, id desc);

-- A lead of a dialer in its place, as the source was when the dialer was made, and who got it. `contact_ids` are the people to call
-- there, null for any. A lead that is gone since is passed over, so no key points at it.
create table dialer_lead (
  organization_id text collate "C" not null references organization (id),
  dialer_id text collate "C" not null,
  position integer not null,
  lead_id text collate "C" not null,
  contact_ids text[],
  user_id text collate "C",
  is_skipped boolean not null default false,
  outcome text,
  primary key (organization_id, dialer_id, position),
  -- Checked at the end: the leads are found, and counted, before the dialer is written.
  constraint dialer_lead_dialer_id_fkey foreign key (organization_id, dialer_id) references dialer (organization_id, id)
    on delete cascade deferrable initially deferred
);
call tenant_table('dialer_lead');
