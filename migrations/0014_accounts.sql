-- Through what the organization reaches the outside world: the members' mailboxes, keys of other services, OAuth applications.

-- A mailbox or calendar of a member elsewhere. Its passwords lie sealed and are shown to nobody again.
create table connected_account (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  _type text not null,
  email text,
  user_id text collate "C" not null,
  identities jsonb not null default '[]',
  imap jsonb,
  smtp jsonb,
  sealed_imap_password text,
  sealed_smtp_password text,
  enabled_features text[] not null default '{}',
  send_status text not null,
  receive_status text not null,
  latest_smtp_error text,
  latest_imap_error text,
  synced_calendars jsonb not null default '[]',
  available_calendars jsonb not null default '[]',
  is_default boolean not null default false,
  signature text,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('connected_account');
call reference('connected_account', 'user_id', 'membership', 'user_id');
create index connected_account_date_created_idx on connected_account (organization_id, date_created desc, id desc);
-- A member has an address once, whoever provides it; what has no mailbox is another thing under the same address.
create unique index connected_account_email_key on connected_account
  (organization_id, user_id, lower(email), (case when _type in ('google', 'microsoft', 'custom_email') then 'mail' else _type end));
create unique index connected_account_is_default_key on connected_account (organization_id, user_id) where is_default;

-- One member allows another to send in their name.
create table send_as (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  allowing_user_id text collate "C" not null,
  allowed_user_id text collate "C" not null,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('send_as');
call reference('send_as', 'allowing_user_id', 'membership', 'user_id');
call reference('send_as', 'allowed_user_id', 'membership', 'user_id');
create index send_as_date_created_idx on send_as (organization_id, date_created desc, id desc);
create unique index send_as_allowed_user_id_key on send_as (organization_id, allowing_user_id, allowed_user_id);

-- What the organization is known by at another service. Secrets lie sealed, all of a service in one value; `shown_values` has the
-- others in clear and of a secret its last characters at most.
create table credential (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  service text not null,
  shown_values jsonb not null default '{}',
  sealed_values text not null,
  last_verified_at timestamptz(3),
  last_error text,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('credential');
create unique index credential_service_key on credential (organization_id, service);

-- An application that may ask members to act in their name. Of its secret only a hash is kept.
create table oauth_app (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text not null,
  description text,
  website_url text,
  logo_url text,
  redirect_uris text[] not null check (cardinality(redirect_uris) > 0),
  client_type text not null,
  scopes text[] not null,
  secret_hash text,
  client_secret_last4 text,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('oauth_app');
create index oauth_app_date_created_idx on oauth_app (organization_id, date_created desc, id desc);
