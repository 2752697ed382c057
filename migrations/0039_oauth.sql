-- Accounts that members connect at Google and Microsoft by OAuth.

alter table connected_account
  -- What the provider granted. Null where it was not asked: an account with a password, or one that is not connected yet.
  add column granted_features text[],
  add column calendar_status text not null default 'disabled',
  add column latest_calendar_error text;
alter table connected_account alter column calendar_status drop default;

-- What a member granted. The tokens lie sealed. A row outlives its account for as long as it takes to give the grant back.
create table oauth_grant (
  organization_id text collate "C" not null references organization (id),
  account_id text collate "C" not null,
  provider text not null check (provider in ('google', 'microsoft')),
  -- In which application's name, and what the provider knows the person by.
  client_id text not null,
  subject text not null,
  sealed_refresh_token text not null,
  -- JSON: what is used until it ends, by its purpose.
  sealed_access_tokens text,
  -- How often the tokens were written; who refreshes them at this moment, and until when nobody else does.
  version integer not null default 1,
  refresh_claim text,
  refreshing_until timestamptz(3),
  failures integer not null default 0,
  next_refresh_at timestamptz(3),
  latest_error text,
  -- Since when the provider refuses it for good: only its owner can mend that.
  refused_at timestamptz(3),
  is_given_back boolean not null default false,
  date_created timestamptz(3) not null,
  primary key (organization_id, account_id)
);
call tenant_table('oauth_grant');
-- Whether somebody else uses the same grant: giving it back would end it for all.
create index oauth_grant_subject_idx on oauth_grant (subject, organization_id);

-- What members were asked by and answered: each state works once, and is forgotten when it is too old anyway.
create table oauth_answer (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  date_created timestamptz(3) not null,
  primary key (organization_id, id)
);
call tenant_table('oauth_answer');
create index oauth_answer_date_created_idx on oauth_answer (date_created);
