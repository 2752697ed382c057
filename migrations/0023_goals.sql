-- What is to be won in a month, a quarter or a year, by one member or by all together. Money is in minor units of the currency.
create table goal (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  period text not null,
  user_id text collate "C",
  target bigint not null,
  targets jsonb,
  currency text not null,
  period_start date not null,
  period_end date not null,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('goal');
call reference('goal', 'user_id', 'membership', 'user_id');
create unique index goal_period_key on goal (organization_id, period, coalesce(user_id, ''));
create index goal_date_created_idx on goal (organization_id, date_created desc, id desc);
