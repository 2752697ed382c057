-- Who may do what: billing accounts, people, organizations, memberships, roles, groups, keys.

-- Who pays. Not a tenant table: an account has organizations.
create table account (
  id text collate "C" primary key,
  name text not null,
  owner_id text collate "C",
  billing_status text not null default 'active' check (billing_status in ('active', 'past_due')),
  date_created timestamptz(3) not null default now()
);

-- A person. Belongs to no organization; memberships connect the two.
create table "user" (
  id text collate "C" primary key,
  email text not null,
  email_key text not null unique,
  first_name text not null default '',
  last_name text not null default '',
  signature text,
  image text,
  timezone text,
  last_used_timezone text,
  -- argon2id in the PHC form; null for who signs in another way or not at all.
  password_hash text,
  date_created timestamptz(3) not null default now(),
  date_updated timestamptz(3) not null default now(),
  version integer not null default 1
);

alter table account add constraint account_owner_id_fkey foreign key (owner_id) references "user" (id);

-- A tenant. Its own id is its organization_id, so that it can be treated like every other record.
create table organization (
  organization_id text collate "C" not null,
  id text collate "C" not null check (id = organization_id),
  name text not null,
  account_id text collate "C" not null references account (id),
  currency text not null default 'USD',
  timezone text not null default 'UTC',
  country text not null default 'US',
  locale text not null default 'en',
  settings jsonb not null default '{}',
  enable_unsubscribe_link boolean not null default false,
  require_unsubscribe_link boolean not null default false,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null default now(),
  date_updated timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (organization_id, id),
  unique (id)
);
call tenant_table('organization');
create index organization_account_id_idx on organization (account_id);

-- A set of permissions with a name. The built-in roles are `admin`, `superuser`, `user` and `restricteduser` in every organization.
create table role (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text not null,
  permissions text[] not null default '{}',
  visibility_user_lcf_ids text[] not null default '{}',
  visibility_user_lcf_behavior text not null default 'require_assignment',
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null default now(),
  date_updated timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('role');
create unique index role_name_key on role (organization_id, lower(name));

-- A person in an organization. Never deleted: it becomes inactive, and records keep the user's id. Until an invitation is accepted
-- nothing is told of the person but the address that was invited, so that nobody learns by inviting who is known elsewhere.
create table membership (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  user_id text collate "C" not null references "user" (id),
  role_id text collate "C" not null default 'user',
  invited_email text,
  accepted boolean not null default true,
  status text not null default 'active' check (status in ('invited', 'active', 'inactive')),
  availability text not null default 'offline' check (availability in ('online', 'offline')),
  availability_updated_at timestamptz(3),
  auto_record_calls text not null default 'unset',
  default_caller_id text collate "C",
  hangup_recording_url text,
  may_workflows_impersonate boolean not null default false,
  track_email_opens boolean not null default true,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null default now(),
  date_updated timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (organization_id, id),
  unique (organization_id, user_id),
  check (accepted or (status <> 'active' and invited_email is not null))
);
call tenant_table('membership');
call reference('membership', 'role_id', 'role');

-- A person is visible to the service where one of their memberships is, except for the columns that prove who they are. People and
-- accounts are created outside of any organization.
create policy fellow on "user" to headwater_app using (exists (select from membership m where m.user_id = "user".id));
grant select (id, email, email_key, first_name, last_name, signature, image, timezone, last_used_timezone, date_created, date_updated, version),
  update (first_name, last_name, signature, image, timezone, last_used_timezone, date_updated, version) on "user" to headwater_app;
call forced_row_security('user');
create policy own on account to headwater_app using (exists (select from organization o where o.account_id = account.id));
grant select on account to headwater_app;
call forced_row_security('account');

-- A member as the rest of the service sees one: the person and the membership in one row.
create view member with (security_invoker = true) as
  select m.organization_id, u.id, p.email, p.first_name, p.last_name,
         coalesce(nullif(trim(p.first_name || ' ' || p.last_name), ''), p.email) as name,
         case when m.accepted then u.image end as image, case when m.accepted then u.timezone end as timezone,
         m.id as membership_id, m.role_id, m.status, m.availability, m.availability_updated_at,
         m.date_created, case when m.accepted then greatest(m.date_updated, u.date_updated) else m.date_updated end as date_updated,
         m.created_by, m.updated_by, case when m.accepted then m.version + u.version else m.version end as version
  from membership m join "user" u on u.id = m.user_id
  cross join lateral (
    select case when m.accepted then u.email else m.invited_email end as email,
           case when m.accepted then u.first_name else '' end as first_name,
           case when m.accepted then u.last_name else '' end as last_name) p;
grant select on member to headwater_app, headwater_system;
create index membership_user_id_idx on membership (user_id);

-- Members that are named together.
create table "group" (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text not null,
  user_ids text[] not null default '{}',
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null default now(),
  date_updated timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('group');
create unique index group_name_key on "group" (organization_id, lower(name));

-- A key acts as its user in its organization. Only a hash of its text is kept.
create table api_key (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text not null,
  user_id text collate "C" not null,
  hash bytea not null,
  key_preview text not null,
  scopes text[] not null default '{read,write_safe,write_destructive}',
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null default now(),
  date_updated timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('api_key');
call reference('api_key', 'user_id', 'membership', 'user_id');
-- Found by the hash alone: 256 random bits make it unique.
create unique index api_key_hash_key on api_key (hash, organization_id);
