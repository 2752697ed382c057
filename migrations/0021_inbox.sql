-- Where conversations and prospects are filed. Every organization has the four system folders; a private one is its member's alone.
create table inbox_folder (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text not null,
  parent_folder_id text collate "C",
  color text,
  position integer not null,
  is_system boolean not null default false,
  system_name text,
  is_shared boolean not null default true,
  user_id text collate "C",
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
create unique index inbox_folder_name_key on inbox_folder (organization_id, coalesce(parent_folder_id, ''), coalesce(user_id, ''), lower(name));
create unique index inbox_folder_system_name_key on inbox_folder (organization_id, system_name) where system_name is not null;
call tenant_table('inbox_folder');
call reference('inbox_folder', 'parent_folder_id', 'inbox_folder');
call reference('inbox_folder', 'user_id', 'membership', 'user_id');

insert into inbox_folder (organization_id, id, name, position, is_system, system_name, date_created, date_updated)
  select o.id, 'folder_0' || left(replace(gen_random_uuid()::text, '-', ''), 25), initcap(s.name), s.position, true, s.name, now(), now()
  from organization o cross join (values ('inbox', 0), ('archive', 1), ('trash', 2), ('spam', 3)) s (name, position);

call reference('conversation', 'folder_id', 'inbox_folder');

-- What is done with messages that come in: each rule in its place, for everybody or for one member.
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
create unique index inbox_prospect_email_key on inbox_prospect (organization_id, lower(email)) where status = 'new' and email is not null;
create unique index inbox_prospect_phone_key on inbox_prospect (organization_id, phone) where status = 'new' and email is null and phone is not null;
call tenant_table('inbox_prospect');
call reference('inbox_prospect', 'folder_id', 'inbox_folder');
call reference('inbox_prospect', 'lead_id', 'lead');
call reference('inbox_prospect', 'contact_id', 'contact');
call reference('inbox_prospect', 'conversation_id', 'conversation');
call reference('inbox_prospect', 'activity_id', 'activity');
create index inbox_prospect_received_at_idx on inbox_prospect (organization_id, status, received_at desc, id desc);
