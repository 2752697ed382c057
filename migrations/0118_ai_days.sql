-- How many tokens of models an organization used on a day, in its time zone.
create table ai_day (
  organization_id text collate "C" not null references organization (id),
  day date not null,
  tokens bigint not null,
  date_created timestamptz(3) not null,
  primary key (organization_id, day)
);
call tenant_table('ai_day');
create index ai_day_date_created_idx on ai_day (date_created);
