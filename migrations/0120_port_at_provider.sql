-- Ports that the telephony provider is asked for, and what it wants to know for that.
alter table port
  add column authorized_email text,
  add column customer_name text,
  add column customer_type text constraint port_customer_type_check check (customer_type in ('business', 'individual')),
  add column account_phone_number text,
  add column provider text,
  add column provider_id text,
  add column provider_state text,
  add column handed_at timestamptz(3);
