-- Deals: pipelines with their statuses, products, opportunities and the lines on them.

-- A way a deal goes: an ordered set of statuses.
create table pipeline (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text not null,
  position integer not null,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('pipeline');
create unique index pipeline_name_key on pipeline (organization_id, lower(name));

-- Where a deal stands in its pipeline.
create table opportunity_status (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  label text not null,
  type text not null check (type in ('active', 'won', 'lost')),
  pipeline_id text collate "C" not null,
  color text,
  position integer not null,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('opportunity_status');
call reference('opportunity_status', 'pipeline_id', 'pipeline');
create unique index opportunity_status_label_key on opportunity_status (organization_id, pipeline_id, lower(label));

-- What can be sold.
create table product (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text not null,
  code text,
  description text,
  category text,
  unit text,
  image_url text,
  unit_price bigint not null default 0,
  cost bigint,
  currency text not null,
  billing_period text not null default 'one_time',
  tax_percent double precision not null default 0,
  is_active boolean not null default true,
  custom jsonb not null default '{}',
  search tsvector,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('product');
create unique index product_code_key on product (organization_id, lower(code)) where code is not null;
create index product_name_idx on product (organization_id, sort_key(name), id);
create index product_search_idx on product using gin (search);

-- A deal that may be won from a lead. Money is in minor units of value_currency. Its pipeline and whether it is active, won or
-- lost are those of its status, and stand there alone.
create table opportunity (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  lead_id text collate "C" not null,
  contact_id text collate "C",
  status_id text collate "C" not null,
  user_id text collate "C",
  value bigint,
  value_period text not null default 'one_time',
  value_currency text not null,
  -- Null where nobody knows how likely it is.
  confidence integer default 50,
  annualized_value bigint,
  expected_value bigint,
  annualized_expected_value bigint,
  note text,
  note_html text,
  date_won date,
  date_lost timestamptz(3),
  expected_close_date date,
  attachments jsonb not null default '[]',
  line_items_total bigint,
  -- What the lines come to once, each month and each year: only what recurs is worth more in a year than it costs once.
  line_items_by_period jsonb,
  custom jsonb not null default '{}',
  search tsvector,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  -- With what the reports need of a deal, in the order of activity_opportunity_status_idx, so that the two are read side by side.
  primary key (organization_id, id)
    include (status_id, lead_id, user_id, created_by, value, value_period, value_currency, annualized_value, expected_value, confidence,
             date_won, date_lost, expected_close_date, date_created)
);
call tenant_table('opportunity');
call rendered_table('opportunity');
call reference('opportunity', 'lead_id', 'lead');
call reference('opportunity', 'contact_id', 'contact');
call reference('opportunity', 'status_id', 'opportunity_status');
call reference('opportunity', 'user_id', 'membership', 'user_id');
-- The reports read from it who won how many, without reading the rows.
create index opportunity_date_created_idx on opportunity (organization_id, date_created desc, id desc) include (user_id, created_by);
create index opportunity_date_updated_idx on opportunity (organization_id, date_updated desc, id desc);
create index opportunity_date_won_idx on opportunity (organization_id, date_won) where date_won is not null;
-- Only deals that are lost have an entry.
create index opportunity_date_lost_idx on opportunity (organization_id, date_lost) where date_lost is not null;
create index opportunity_search_idx on opportunity using gin (search);
create index opportunity_custom_idx on opportunity using gin (organization_id, custom jsonb_path_ops);

-- The part of a deal's value that is due in a period: by its lines where it has some, else all of it in its own period.
-- Null where nothing is due.
create function value_due(period text, value bigint, value_period text, by_period jsonb) returns bigint
  language sql immutable parallel safe
  return case when by_period is not null then nullif((by_period ->> period)::bigint, 0)
    when value_period = period then value end;

-- One product, or something without a product, on a deal.
create table line_item (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  opportunity_id text collate "C" not null,
  lead_id text collate "C" not null,
  product_id text collate "C",
  name text not null,
  description text,
  quantity double precision not null default 1,
  unit_price bigint not null,
  currency text not null,
  discount double precision not null default 0,
  discount_type text not null default 'percentage',
  tax_percent double precision not null default 0,
  tax_method text not null default 'exclusive',
  billing_period text not null default 'one_time',
  position integer not null,
  subtotal bigint not null,
  discount_total bigint not null,
  tax_total bigint not null,
  total bigint not null,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('line_item');
call reference('line_item', 'opportunity_id', 'opportunity');
call reference('line_item', 'lead_id', 'lead');
call reference('line_item', 'product_id', 'product');
