-- What sequences lacked: which replies count, how soon a contact may come again, tracking, waiting for a reply, and new mailboxes.

alter table sequence
  add column reply_scope text collate "C" not null default 'any',
  -- Sequences from before take a contact again at any time, as they did.
  add column resubscribe_after jsonb,
  add column tracking jsonb;

alter table sequence_subscription
  -- Until when its step waits for a reply.
  add column reply_awaited_until timestamptz(3);

-- Whom a sequence has had lately.
create index sequence_subscription_ended_idx on sequence_subscription (organization_id, sequence_id, lower(contact_email), finished_at)
  where finished_at is not null;

alter table connected_account
  -- Since when it sends more from day to day. Null when it sends as much as it may.
  add column ramp_up_since timestamptz(3),
  add column ramp_up boolean not null default false;
