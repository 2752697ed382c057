-- Offers, and the numbers they are counted by.

-- What was counted last in each series of an organization: quote numbers. Its row is locked until the transaction that counted ends,
-- so that numbers follow one another without gaps, and a number that is rolled back is given again.
create table counter (
  organization_id text collate "C" not null references organization (id),
  series text collate "C" not null,
  last bigint not null,
  primary key (organization_id, series)
);
call tenant_table('counter');

-- An offer to a lead. Its lines and what they come to are written down in the quote itself: it says what was offered, whatever
-- becomes of the products and the opportunity. kept_lead_name is shown once the lead is gone. The secret of its public page lies
-- sealed in public_token, and is found by its hash.
create table quote (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  number text not null,
  title text,
  lead_id text collate "C",
  kept_lead_name text,
  opportunity_id text collate "C",
  contact_id text collate "C",
  status text not null default 'draft' check (status in ('draft', 'open', 'accepted', 'declined', 'expired', 'canceled')),
  currency text not null,
  line_items jsonb not null default '[]',
  discount double precision not null default 0,
  discount_type text not null default 'percentage',
  subtotal bigint not null,
  discount_total bigint not null,
  tax_total bigint not null,
  total bigint not null,
  expires_at date,
  header text,
  description text,
  footer text,
  terms text,
  notes text,
  public_token text,
  public_hash text collate "C",
  file_id text collate "C",
  date_sent timestamptz(3),
  date_accepted timestamptz(3),
  date_declined timestamptz(3),
  date_canceled timestamptz(3),
  accepted_by_name text,
  accepted_by_email text,
  revision integer not null default 1,
  from_quote_id text collate "C",
  custom jsonb not null default '{}',
  search tsvector,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('quote');
call reference('quote', 'lead_id', 'lead');
call reference('quote', 'opportunity_id', 'opportunity');
call reference('quote', 'contact_id', 'contact');
call reference('quote', 'from_quote_id', 'quote');
call reference('quote', 'file_id', 'file');
create unique index quote_number_key on quote (organization_id, number);
-- Found by the hash alone: 256 random bits make it unique.
create unique index quote_public_hash_key on quote (public_hash, organization_id) where public_hash is not null;
create index quote_date_created_idx on quote (organization_id, date_created desc, id desc);
create index quote_date_updated_idx on quote (organization_id, date_updated desc, id desc);
create index quote_status_idx on quote (organization_id, status, date_created desc, id desc);
create index quote_search_idx on quote using gin (search);
create index quote_custom_idx on quote using gin (organization_id, custom jsonb_path_ops);
-- Every minute the service looks which open quotes have come to their end.
create index quote_expires_at_idx on quote (expires_at) where status = 'open';
