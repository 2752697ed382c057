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
create index conversation_date_created_idx on conversation (organization_id, date_created desc, id desc);
create index conversation_last_message_at_idx on conversation (organization_id, last_message_at desc nulls last, id desc) where deleted_at is null;
create index conversation_assigned_to_idx on conversation (organization_id, assigned_to, last_message_at desc nulls last, id desc) where assigned_to is not null;
create index conversation_search_idx on conversation using gin (search);

-- The messages of a conversation: the index of the key is the one its list was read from before.
drop index activity_conversation_id_idx;
call reference('activity', 'conversation_id', 'conversation');
