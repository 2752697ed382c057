-- Contacts who are away: their ways through sequences go on by themselves.
alter table sequence_subscription add column resume_at timestamptz(3);
create index sequence_subscription_resume_at_idx on sequence_subscription (resume_at) where status = 'paused' and resume_at is not null;

-- Each message that says of an address that it is not to be written to says it for itself, and is taken back by itself.
drop index unsubscribed_email_address_key;
create unique index unsubscribed_email_address_key on unsubscribed_email
  (organization_id, channel, address, scope, reason, coalesce(source_id, ''));

-- What kind of message an e-mail is, what followed from that, and which of its recipients it came back from.
alter table activity
  add column classification jsonb,
  add column class_effects jsonb,
  add column bounces jsonb;
create index activity_bounces_idx on activity using gin (organization_id, bounces jsonb_path_ops)
  where bounces is not null and bounces <> '[]';
