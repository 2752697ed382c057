-- Steps as they were: a subscription may keep to those that it began with.
create table sequence_former_steps (
  organization_id text collate "C" not null references organization (id),
  sequence_id text collate "C" not null,
  version integer not null,
  steps jsonb not null,
  date_created timestamptz(3) not null,
  primary key (organization_id, sequence_id, version)
);
call tenant_table('sequence_former_steps');

alter table sequence_subscription
  add column keeps_steps boolean not null default false,
  add column vars jsonb;
alter table sequence
  -- Which mailbox sends, where whoever subscribes a contact names none.
  add column sender jsonb,
  add column goal jsonb;
-- An address is live in a sequence once at most.
create unique index sequence_subscription_contact_email_key on sequence_subscription (organization_id, sequence_id, lower(contact_email))
  where status in ('active', 'paused') and contact_email is not null;
-- Sequences that look for their contacts by themselves.
create index sequence_trigger_idx on sequence (date_created) where status = 'active' and trigger_query is not null;
