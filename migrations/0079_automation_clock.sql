-- Until when the clock has been looked at for an automation that it starts, and what a look under way still has to start.
create table automation_clock (
  organization_id text collate "C" not null references organization (id),
  automation_id text collate "C" not null,
  -- Nothing from before starts it: it was not in force then.
  since timestamptz(3) not null,
  looked_until timestamptz(3) not null,
  -- The look under way: its time, the records in order with the occasion of each, and how many of them are done.
  tick timestamptz(3),
  object_ids text[] collate "C" not null default '{}',
  occasions text[] not null default '{}',
  position integer not null default 0,
  primary key (organization_id, automation_id),
  foreign key (organization_id, automation_id) references automation (organization_id, id) on delete cascade
);
call tenant_table('automation_clock');

-- What the clock has started for a record: a date or a silence starts once. Looks overlap by some minutes, so rows are kept for days.
create table automation_occasion (
  organization_id text collate "C" not null references organization (id),
  automation_id text collate "C" not null,
  object_id text collate "C" not null,
  occasion text not null,
  date_created timestamptz(3) not null,
  primary key (organization_id, automation_id, object_id, occasion),
  foreign key (organization_id, automation_id) references automation (organization_id, id) on delete cascade
);
call tenant_table('automation_occasion');
create index automation_occasion_old_idx on automation_occasion (date_created);
