-- What a member is told about: a lead that is theirs now, a mention, a message that came in. Written with the change it tells of.
create table notification (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  user_id text collate "C" not null,
  type text not null,
  title text not null,
  body text,
  is_read boolean not null default false,
  read_at timestamptz(3),
  object_type text,
  object_id text collate "C",
  lead_id text collate "C",
  actor_id text collate "C",
  url text,
  data jsonb not null default '{}',
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('notification');
call reference('notification', 'lead_id', 'lead');
create index notification_date_created_idx on notification (organization_id, user_id, date_created desc, id desc);
create index notification_unread_idx on notification (organization_id, user_id, date_created desc, id desc) where not is_read;
create index notification_object_id_idx on notification (organization_id, object_id) where object_id is not null;
