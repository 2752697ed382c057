-- Calls that a telephony provider carries.

-- Those on which somebody speaks: one that nobody hears of any more is ended by the clock.
create index activity_call_talking_idx on activity (date_answered)
  where _type = 'Call' and status = 'in-progress' and provider_id is not null;

-- Calls of people who are no contact, by what the provider calls them.
alter table prospect_message
  add column provider_id text collate "C" generated always as (message->>'provider_id') stored;
create index prospect_message_provider_id_idx on prospect_message (organization_id, provider_id) where provider_id is not null;
