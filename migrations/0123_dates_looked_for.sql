-- Automations by the clock look for deals and quotes whose date has come. Only those that have one have an entry.
create index opportunity_expected_close_date_idx on opportunity (organization_id, expected_close_date) where expected_close_date is not null;
create index quote_expiry_idx on quote (organization_id, expires_at) where expires_at is not null;
