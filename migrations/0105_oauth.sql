-- OAuth and sign-in. These tables belong to people and not to organizations: only the service itself reads them.

-- Clients that registered themselves. Those that an organization registers are in `oauth_app`.
create table oauth_client (
  id text collate "C" primary key,
  metadata jsonb not null,
  secret_hash text,
  date_created timestamptz(3) not null,
  -- When a member first allowed it something. Clients without are deleted after a week.
  used_at timestamptz(3)
);
create index oauth_client_unused_idx on oauth_client (date_created) where used_at is null;

-- What a person allowed a client: one row for each time they gave consent. It is in one organization at a time.
create table client_grant (
  id text collate "C" primary key,
  user_id text collate "C" not null references "user",
  client_id text not null,
  -- What the person read when they gave it.
  client_name text not null,
  scope text not null,
  active_organization_id text collate "C" not null,
  -- What the engine of OAuth knows about it. Null until it has written that.
  payload jsonb,
  date_created timestamptz(3) not null,
  last_used_at timestamptz(3),
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3)
);
create index client_grant_user_id_idx on client_grant (user_id, date_created);
create index client_grant_client_id_idx on client_grant (client_id);
create index client_grant_expires_at_idx on client_grant (expires_at);

-- Tokens, codes and requests under way, by the SHA-256 of their text.
create table oauth_artifact (
  model text not null,
  hash text not null,
  grant_id text collate "C",
  payload jsonb not null,
  date_created timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  consumed_at timestamptz(3),
  -- How often it was used again within the time in which that is forgiven.
  uses integer not null default 0,
  primary key (model, hash)
);
create index oauth_artifact_grant_id_idx on oauth_artifact (grant_id) where grant_id is not null;
create index oauth_artifact_expires_at_idx on oauth_artifact (expires_at);

-- A browser that a person signed in with.
create table session (
  hash text primary key,
  id text collate "C" not null unique,
  user_id text collate "C" not null references "user",
  -- How the person proved who they are: password, totp, recovery_code, passkey, link.
  methods text[] not null,
  -- The password was right, and the second factor is still missing.
  is_pending boolean not null,
  ip text not null,
  user_agent text not null,
  date_created timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  -- When the person last proved who they are.
  confirmed_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index session_user_id_idx on session (user_id, date_created);
create index session_expires_at_idx on session (expires_at);

-- Links with which a person sets a password.
create table password_link (
  hash text primary key,
  user_id text collate "C" not null references "user",
  date_created timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index password_link_user_id_idx on password_link (user_id, date_created);
create index password_link_expires_at_idx on password_link (expires_at);

-- Wrong attempts to sign in, by account and by address.
create table sign_in_failure (
  holder text primary key,
  failures integer not null,
  blocked_until timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index sign_in_failure_expires_at_idx on sign_in_failure (expires_at);

alter table "user" add column sealed_totp_secret text, add column totp_confirmed_at timestamptz(3), add column totp_step bigint;

create table recovery_code (
  user_id text collate "C" not null references "user",
  hash text not null,
  used_at timestamptz(3),
  primary key (user_id, hash)
);

create table passkey (
  id text collate "C" primary key,
  user_id text collate "C" not null references "user",
  credential_id text not null unique,
  public_key text not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  date_created timestamptz(3) not null,
  last_used_at timestamptz(3)
);
create index passkey_user_id_idx on passkey (user_id, date_created);

create index oauth_app_id_idx on oauth_app (id);

call forced_row_security('oauth_client');
call forced_row_security('client_grant');
call forced_row_security('oauth_artifact');
call forced_row_security('session');
call forced_row_security('password_link');
call forced_row_security('sign_in_failure');
call forced_row_security('recovery_code');
call forced_row_security('passkey');
