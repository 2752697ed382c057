-- Comments and their threads.

-- Comments about one record of any kind, in the order they were made. Goes with its last comment that was not removed.
create table comment_thread (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  lead_id text collate "C",
  object_id text collate "C" not null,
  object_type text not null,
  num_comments integer not null,
  participating text[] not null default '{}',
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('comment_thread');
call reference('comment_thread', 'lead_id', 'lead');
create index comment_thread_date_created_idx on comment_thread (organization_id, date_created desc, id desc);
create unique index comment_thread_object_id_key on comment_thread (organization_id, object_id);

-- A remark about a record. One that was removed stays without its words, so that the others keep their place.
create table comment (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  lead_id text collate "C",
  thread_id text collate "C" not null,
  object_id text collate "C" not null,
  object_type text not null,
  body text,
  mentions text[] not null default '{}',
  removed_at timestamptz(3),
  removed_by text collate "C",
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('comment');
call reference('comment', 'lead_id', 'lead');
call reference('comment', 'thread_id', 'comment_thread');
create index comment_object_id_idx on comment (organization_id, object_id, date_created, id);
