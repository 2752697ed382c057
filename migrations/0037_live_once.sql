-- Whether an address is live in a sequence already is asked whenever somebody is subscribed.
create index sequence_subscription_contact_email_idx on sequence_subscription (organization_id, lower(contact_email))
  where status in ('active', 'paused');
