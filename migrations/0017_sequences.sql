-- Outreach step by step: what is done, who it is done to, and who wants none of it.

-- An order of e-mails, calls and tasks that contacts are taken through. The steps are few and always read together, so they lie in
-- the row; `email_template_ids` and `sms_template_ids` are those its steps name.
create table sequence (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text not null,
  description text,
  status text not null,
  timezone text not null,
  schedule jsonb,
  throttle jsonb,
  trigger_query jsonb,
  steps jsonb not null default '[]',
  steps_version integer not null default 1,
  allow_manual_enrollment boolean not null default true,
  stop_on_reply boolean not null default true,
  stop_on_meeting boolean not null default true,
  is_shared boolean not null default true,
  email_template_ids text[] not null default '{}',
  sms_template_ids text[] not null default '{}',
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('sequence');
create index sequence_date_created_idx on sequence (organization_id, date_created desc, id desc);
create index sequence_templates_idx on sequence using gin (organization_id, email_template_ids, sms_template_ids);

-- A contact's way through a sequence. It keeps the id of a sequence that is gone, so no key points there.
create table sequence_subscription (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  sequence_id text collate "C" not null,
  contact_id text collate "C" not null,
  lead_id text collate "C" not null,
  contact_email text,
  sender_account_id text collate "C",
  sender_name text,
  sender_email text,
  calls_assigned_to text[] not null default '{}',
  from_phone_number_id text collate "C",
  status text not null,
  status_reason text,
  start_date timestamptz(3) not null,
  steps_version integer not null,
  current_step_id text collate "C",
  next_step_at timestamptz(3),
  finished_at timestamptz(3),
  paused_at timestamptz(3),
  initial_email_id text collate "C",
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('sequence_subscription');
call reference('sequence_subscription', 'contact_id', 'contact');
call reference('sequence_subscription', 'lead_id', 'lead');
call reference('sequence_subscription', 'sender_account_id', 'connected_account');
call reference('sequence_subscription', 'from_phone_number_id', 'phone_number');
create index sequence_subscription_date_created_idx on sequence_subscription (organization_id, date_created desc, id desc);
create index sequence_subscription_sequence_id_idx on sequence_subscription (organization_id, sequence_id, status, date_created desc, id desc);
-- A contact is live in a sequence once at most.
create unique index sequence_subscription_contact_id_key on sequence_subscription (organization_id, contact_id, sequence_id)
  where status in ('active', 'paused');
-- What is due, for whoever takes the steps.
create index sequence_subscription_next_step_at_idx on sequence_subscription (next_step_at)
  where status = 'active' and next_step_at is not null;

-- An address that wants no more mail of this organization, in lower case.
create table unsubscribed_email (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  email text not null,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('unsubscribed_email');
create unique index unsubscribed_email_email_key on unsubscribed_email (organization_id, email);
