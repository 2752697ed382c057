-- Sequences run: what a subscription waits for, what it has done, and how much was sent on a day.

alter table sequence_subscription
  -- The message of its step, until it has left or failed.
  add column waiting_message_id text collate "C",
  add column waiting_task_id text collate "C",
  add column latest_email_id text collate "C",
  add column error_message text,
  -- Since when something that may mend itself holds its step up.
  add column held_since timestamptz(3),
  -- The moment that was set aside for its step, and counted on that day.
  add column slot_at timestamptz(3),
  -- Since when it waits for a day on which more may be sent.
  add column throttled_since timestamptz(3);

-- What a sender has to do on a day.
create index sequence_subscription_sender_idx on sequence_subscription (organization_id, sender_account_id, next_step_at)
  where status = 'active' and next_step_at is not null;

-- How much of what is limited was taken on a day. `free_at` is when a sender may send the next one.
create table sequence_quota (
  organization_id text collate "C" not null references organization (id),
  name text collate "C" not null,
  day date not null,
  taken integer not null,
  free_at timestamptz(3),
  date_created timestamptz(3) not null,
  primary key (organization_id, name, day)
);
call tenant_table('sequence_quota');
create index sequence_quota_date_created_idx on sequence_quota (date_created);

-- What became of each step for each subscription. `object_id` is the message or the task that it made.
create table sequence_step_taken (
  organization_id text collate "C" not null references organization (id),
  subscription_id text collate "C" not null,
  step_id text collate "C" not null,
  sequence_id text collate "C" not null,
  variant text collate "C",
  outcome text not null,
  object_id text collate "C",
  date_created timestamptz(3) not null,
  primary key (organization_id, subscription_id, step_id)
);
call tenant_table('sequence_step_taken');
create index sequence_step_taken_sequence_idx on sequence_step_taken (organization_id, sequence_id, step_id);

-- Subscriptions from before there was somebody who takes their steps.
insert into job (organization_id, kind, object_id, state, due_at)
  select organization_id, 'sequence_subscription', id, 'scheduled', next_step_at from sequence_subscription
  where status = 'active' and next_step_at is not null
  on conflict do nothing;
