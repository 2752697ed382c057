-- Folders, and the conversations that are filed in them.

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
call tenant_table('inbox_folder');
call reference('inbox_folder', 'parent_folder_id', 'inbox_folder');
call reference('inbox_folder', 'user_id', 'membership', 'user_id');
create unique index inbox_folder_name_key on inbox_folder (organization_id, coalesce(parent_folder_id, ''), coalesce(user_id, ''), lower(name));
create unique index inbox_folder_system_name_key on inbox_folder (organization_id, system_name) where system_name is not null;

-- Messages with a person of a lead that belong together, over any channel. The messages are activities with its id; what a list
-- of conversations shows of them is counted here with every message. A deleted one keeps its messages and can be restored.
create table conversation (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  lead_id text collate "C" not null,
  contact_id text collate "C",
  subject text,
  channel text not null default 'email',
  status text not null default 'open',
  assigned_to text collate "C",
  snoozed_until timestamptz(3),
  folder_id text collate "C" not null,
  is_read boolean not null default true,
  priority text,
  tags text[] not null default '{}',
  people jsonb not null default '[]',
  message_count integer not null default 0,
  unread_count integer not null default 0,
  last_message_at timestamptz(3),
  last_message_preview text,
  last_message_direction text,
  deleted_at timestamptz(3),
  deleted_by text collate "C",
  summary text,
  search tsvector,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('conversation');
call reference('conversation', 'lead_id', 'lead');
call reference('conversation', 'contact_id', 'contact');
call reference('conversation', 'folder_id', 'inbox_folder');
create index conversation_date_created_idx on conversation (organization_id, date_created desc, id desc);
create index conversation_last_message_at_idx on conversation (organization_id, last_message_at desc nulls last, id desc) where deleted_at is null;
create index conversation_assigned_to_idx on conversation (organization_id, assigned_to, last_message_at desc nulls last, id desc) where assigned_to is not null;
create index conversation_search_idx on conversation using gin (search);
-- Finds the people who take part by their ids, when contacts are merged or deleted.
create index conversation_people_idx on conversation using gin (organization_id, people jsonb_path_ops);
