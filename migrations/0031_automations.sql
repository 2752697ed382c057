-- What the organization has done by itself: automations, what they start on, and each time they ran.

-- An automation of either generation. The second keeps what is edited (`trigger` to `settings`) apart from what is `published`; the
-- first is in force as it is written, and its `graph` is what its actions come to.
create table automation (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  generation text collate "C" not null,
  name text not null,
  description text,
  status text not null,
  trigger jsonb not null,
  filter jsonb,
  graph jsonb not null,
  settings jsonb not null,
  trigger_type text not null,
  object_type text,
  active_version_id text collate "C",
  active_version integer,
  last_run_at timestamptz(3),
  runs_total bigint not null default 0,
  runs_failed bigint not null default 0,
  -- Of the second generation.
  published jsonb,
  draft_revision integer,
  draft_updated_at timestamptz(3),
  draft_updated_by text collate "C",
  webhook_url text,
  -- Of the first generation.
  conditions jsonb,
  match text,
  actions jsonb,
  run_once_per_record boolean,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('automation');
create index automation_date_created_idx on automation (organization_id, generation, date_created desc, id desc);
create index automation_trigger_type_idx on automation (organization_id, trigger_type) where status = 'active';

-- An automation as it was at one time in force. Never changed, so that whatever runs by it goes on by it.
create table automation_version (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  automation_id text collate "C" not null,
  number integer not null,
  trigger jsonb not null,
  filter jsonb,
  graph jsonb not null,
  settings jsonb not null,
  is_active boolean not null,
  published_at timestamptz(3) not null,
  published_by text collate "C",
  change_note text,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('automation_version');
call reference('automation_version', 'automation_id', 'automation');
create unique index automation_version_number_key on automation_version (organization_id, automation_id, number);

-- One time an automation ran, or is running, by one version, for one record.
create table automation_run (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  automation_id text collate "C" not null,
  version_id text collate "C",
  version_number integer,
  generation integer not null default 2,
  status text not null,
  trigger_type text not null,
  event_id text collate "C",
  object_type text,
  object_id text collate "C",
  lead_id text collate "C",
  contact_id text collate "C",
  opportunity_id text collate "C",
  input jsonb not null default '{}',
  output jsonb,
  error jsonb,
  is_replay boolean not null default false,
  is_simulation boolean not null default false,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  wait_until timestamptz(3),
  duration_ms bigint,
  current_node_id text,
  attempt integer not null default 1,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('automation_run');
call reference('automation_run', 'automation_id', 'automation');
call reference('automation_run', 'version_id', 'automation_version');
call reference('automation_run', 'lead_id', 'lead');
call reference('automation_run', 'contact_id', 'contact');
call reference('automation_run', 'opportunity_id', 'opportunity');
-- Failures first, as lists show them.
create index automation_run_date_created_idx on automation_run
  (organization_id, (case when status = 'failed' then 0 else 1 end), date_created desc, id desc);
create index automation_run_event_id_idx on automation_run (organization_id, event_id) where event_id is not null;
create index automation_run_object_id_idx on automation_run (organization_id, object_id) where object_id is not null;

-- One step of a run: what it was given, what came of it, and where it went on.
create table automation_step_run (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  run_id text collate "C" not null,
  node_id text not null,
  type text not null,
  name text,
  status text not null,
  input jsonb,
  output jsonb,
  error jsonb,
  attempt integer not null default 1,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  wait_until timestamptz(3),
  branch text,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('automation_step_run');
call reference('automation_step_run', 'run_id', 'automation_run');

-- Something that automations listened to, kept for a while to look into and to try again.
create table automation_event (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  type text not null,
  source text,
  automation_id text collate "C",
  object_type text,
  object_id text collate "C",
  lead_id text collate "C",
  payload jsonb not null default '{}',
  matched_automation_ids text[] not null default '{}',
  run_ids text[] not null default '{}',
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('automation_event');
call reference('automation_event', 'lead_id', 'lead');
create index automation_event_date_created_idx on automation_event (organization_id, date_created desc, id desc);
create index automation_event_object_id_idx on automation_event (organization_id, object_id) where object_id is not null;
