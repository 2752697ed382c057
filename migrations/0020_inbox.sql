-- What is done with messages that come in.

-- A rule in its place, for everybody or for one member.
create table inbox_rule (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text not null,
  is_enabled boolean not null default true,
  position integer not null,
  match text not null default 'all',
  conditions jsonb not null,
  exceptions jsonb not null default '[]',
  actions jsonb not null,
  stop_processing boolean not null default false,
  user_id text collate "C",
  last_matched_at timestamptz(3),
  match_count integer not null default 0,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('inbox_rule');
call reference('inbox_rule', 'user_id', 'membership', 'user_id');
create index inbox_rule_position_idx on inbox_rule (organization_id, position, id);

-- Somebody who wrote and whom nobody knows: no contact has the address or the number. There is one new prospect for each.
create table inbox_prospect (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text,
  email text,
  phone text,
  channel text not null,
  company text,
  subject text,
  preview text,
  body_text text,
  message jsonb not null default '{}',
  folder_id text collate "C" not null,
  status text not null default 'new',
  received_at timestamptz(3) not null,
  lead_id text collate "C",
  contact_id text collate "C",
  conversation_id text collate "C",
  activity_id text collate "C",
  dismissed_at timestamptz(3),
  dismissed_by text collate "C",
  converted_at timestamptz(3),
  converted_by text collate "C",
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('inbox_prospect');
call reference('inbox_prospect', 'folder_id', 'inbox_folder');
call reference('inbox_prospect', 'lead_id', 'lead');
call reference('inbox_prospect', 'contact_id', 'contact');
call reference('inbox_prospect', 'conversation_id', 'conversation');
call reference('inbox_prospect', 'activity_id', 'activity');
create unique index inbox_prospect_email_key on inbox_prospect (organization_id, lower(email)) where status = 'new' and email is not null;
create unique index inbox_prospect_phone_key on inbox_prospect (organization_id, phone) where status = 'new' and email is null and phone is not null;
create index inbox_prospect_received_at_idx on inbox_prospect (organization_id, status, received_at desc, id desc);
