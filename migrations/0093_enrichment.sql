-- Enrichment runs: one live job for each record, what it wrote and why, and its provider's answers.

-- These services were only names: nothing could be looked up there.
delete from credential where service in ('apollo', 'clearbit', 'hunter');
alter table enrichment drop constraint enrichment_provider_check;
update enrichment set provider = 'internal' where provider <> 'internal';
alter table enrichment add constraint enrichment_provider_check check (provider in ('internal', 'peopledatalabs'));

-- `attempts` counts requests to the provider that came to nothing, and `credit_day` is the day whose credit was taken. `origin` is what the events of its cause said of that cause.
alter table enrichment
  add column applied jsonb not null default '[]',
  add column skipped jsonb not null default '[]',
  add column credit_day date,
  add column attempts integer not null default 0,
  add column origin jsonb not null default '{}';

-- Jobs from before there was somebody who does them.
update enrichment set status = 'failed', error = 'It was never started: ask again', completed_at = date_updated
  where status in ('queued', 'running');
create unique index enrichment_object_id_key on enrichment (organization_id, object_id) where status in ('queued', 'running');

-- What a source answered, by a hash of what it was asked. Null: it knows nothing.
create table enrichment_answer (
  organization_id text collate "C" not null references organization (id),
  key text collate "C" not null,
  answer jsonb,
  date_created timestamptz(3) not null,
  primary key (organization_id, key)
);
call tenant_table('enrichment_answer');
create index enrichment_answer_date_created_idx on enrichment_answer (date_created);

-- How many credits of paid providers were used on a day, in the organization's time zone.
create table enrichment_day (
  organization_id text collate "C" not null references organization (id),
  day date not null,
  credits integer not null,
  date_created timestamptz(3) not null,
  primary key (organization_id, day)
);
call tenant_table('enrichment_day');
create index enrichment_day_date_created_idx on enrichment_day (date_created);
