-- Something a member (or a group) is to do at a lead, by a day or some day. System tasks say what calls for attention:
-- a missed call, a reply, a deal that is due; the fields of what they are about are copied, because it may be gone later.
create table task (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  _type text not null default 'lead',
  lead_id text collate "C" not null,
  contact_id text collate "C",
  text text,
  date date,
  is_complete boolean not null default false,
  date_completed timestamptz(3),
  completed_by text collate "C",
  resolution text,
  priority text,
  -- A user or a group, so no foreign key fits; a member who leaves keeps it until it is given to someone else.
  assigned_to text collate "C" not null,
  object_type text,
  object_id text collate "C",
  sequence_id text collate "C",
  sequence_subscription_id text collate "C",
  phone text,
  local_phone text,
  recording_url text,
  voicemail_url text,
  voicemail_duration integer,
  subject text,
  body_preview text,
  email_id text collate "C",
  emails jsonb,
  opportunity_id text collate "C",
  opportunity_value bigint,
  opportunity_value_formatted text,
  opportunity_note text,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('task');
call reference('task', 'lead_id', 'lead');
call reference('task', 'contact_id', 'contact');
-- Both lists, everyone's and one assignee's, are read by date. Done tasks are the oldest and soon the most, so open tasks have
-- indexes of their own: 20 open tasks behind 100,000 done ones are found at once.
create index task_date_idx on task (organization_id, date, id);
create index task_open_idx on task (organization_id, date, id) where not is_complete;
create index task_assigned_to_idx on task (organization_id, assigned_to, date, id);
create index task_open_assigned_to_idx on task (organization_id, assigned_to, date, id) where not is_complete;
create index task_date_created_idx on task (organization_id, date_created desc, id desc);
create index task_date_updated_idx on task (organization_id, date_updated desc, id desc);
create index task_object_id_idx on task (organization_id, object_id) where object_id is not null;
