-- Projects and their steps.

-- Work that is done for a lead, or for nobody in particular. The counts are those of its tasks, kept with every change of one.
create table project (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text not null,
  description text,
  status text not null default 'open' check (status in ('open', 'completed', 'canceled')),
  lead_id text collate "C",
  kept_lead_name text,
  opportunity_id text collate "C",
  contact_id text collate "C",
  owner_id text collate "C",
  member_ids text[] not null default '{}',
  start_date date,
  end_date date,
  phase text,
  labels text[] not null default '{}',
  progress double precision not null default 0,
  task_count integer not null default 0,
  completed_task_count integer not null default 0,
  date_completed timestamptz(3),
  custom jsonb not null default '{}',
  search tsvector,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('project');
call reference('project', 'lead_id', 'lead');
call reference('project', 'opportunity_id', 'opportunity');
call reference('project', 'contact_id', 'contact');
call reference('project', 'owner_id', 'membership', 'user_id');
create index project_date_created_idx on project (organization_id, date_created desc, id desc);
create index project_date_updated_idx on project (organization_id, date_updated desc, id desc);
create index project_status_idx on project (organization_id, status, date_created desc, id desc);
create index project_name_idx on project (organization_id, sort_key(name), id);
create index project_search_idx on project using gin (search);
create index project_custom_idx on project using gin (organization_id, custom jsonb_path_ops);

-- A step of a project. lead_id is the project's, so that a step is seen by whoever sees the project.
create table project_task (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  project_id text collate "C" not null,
  lead_id text collate "C",
  name text not null,
  description text,
  status text not null default 'todo' check (status in ('todo', 'in_progress', 'done')),
  is_complete boolean not null default false,
  assigned_to text collate "C",
  due_date date,
  priority text,
  parent_task_id text collate "C",
  position integer not null,
  depends_on text[] not null default '{}',
  date_completed timestamptz(3),
  completed_by text collate "C",
  search tsvector,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id),
  check (is_complete = (status = 'done'))
);
call tenant_table('project_task');
call reference('project_task', 'project_id', 'project');
call reference('project_task', 'lead_id', 'lead');
call reference('project_task', 'assigned_to', 'membership', 'user_id');
call reference('project_task', 'parent_task_id', 'project_task');
create index project_task_date_created_idx on project_task (organization_id, date_created desc, id desc);
create index project_task_date_updated_idx on project_task (organization_id, date_updated desc, id desc);
create index project_task_position_idx on project_task (organization_id, project_id, position, id);
create index project_task_due_date_idx on project_task (organization_id, due_date) where due_date is not null;
create index project_task_search_idx on project_task using gin (search);
