-- Texts that a telephony provider carries.

-- The part of our addresses that tells a provider's calls of one organization from those of others.
alter table credential add column webhook_token text;
set local role headwater_system;
update credential set webhook_token = replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
reset role;
alter table credential alter column webhook_token set not null;
create unique index credential_webhook_token_key on credential (webhook_token, organization_id);

alter table activity
  -- Of a text that is being sent: by which account of the provider.
  add column sending_account text,
  -- What the provider calls it, and how far it has got there.
  add column provider_id text,
  add column delivery_status text;
create unique index activity_provider_id_key on activity (organization_id, provider_id) where provider_id is not null;
