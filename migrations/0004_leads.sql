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
grant select on member to headwater_app;

-- Where a lead stands. Every lead has one.
create table lead_status (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  label text not null,
  type text,
  color text,
  position integer not null,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
create unique index lead_status_label_key on lead_status (organization_id, lower(label));
call tenant_table('lead_status');

-- A company one may sell to. Contacts, deals, tasks and activities hang off it.
create table lead (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text,
  display_name text not null,
  url text,
  industry text,
  description text,
  status_id text collate "C" not null,
  owner_id text collate "C",
  mrr bigint,
  emails jsonb not null default '[]',
  phones jsonb not null default '[]',
  addresses jsonb not null default '[]',
  tags text[] not null default '{}',
  custom jsonb not null default '{}',
  score integer,
  score_grade text,
  score_reasons jsonb not null default '[]',
  scored_at timestamptz(3),
  source text not null default 'api',
  email_keys text[] not null default '{}',
  phone_keys text[] not null default '{}',
  search tsvector,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('lead');
call rendered_table('lead');
call reference('lead', 'status_id', 'lead_status');
call reference('lead', 'owner_id', 'membership', 'user_id');
create index lead_date_created_idx on lead (organization_id, date_created desc, id desc);
create index lead_date_updated_idx on lead (organization_id, date_updated desc, id desc);
create index lead_search_idx on lead using gin (search);
create index lead_custom_idx on lead using gin (organization_id, custom jsonb_path_ops);
create index lead_lists_idx on lead using gin (organization_id, tags, email_keys, phone_keys);
