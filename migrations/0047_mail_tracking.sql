-- Links in mail that are for one recipient alone: to unsubscribe, and to say that a mail was opened or a link followed.

-- Whom the links of a copy are for, found by the hash of their secret. Kept when the mail, the contact and the lead are gone: whoever has
-- the mail has its links.
create table mail_recipient (
  organization_id text collate "C" not null references organization (id),
  token_hash text collate "C" not null,
  email_id text collate "C" not null,
  address text not null,
  date_created timestamptz(3) not null,
  primary key (organization_id, token_hash)
);
call tenant_table('mail_recipient');
create unique index mail_recipient_token_hash_key on mail_recipient (token_hash, organization_id);

-- Where links lead that go through here, by a hash of the address: the same link in a thousand mails is one row.
create table mail_link (
  organization_id text collate "C" not null references organization (id),
  hash text collate "C" not null,
  url text not null,
  primary key (organization_id, hash)
);
call tenant_table('mail_link');

-- What was opened and followed, until it is filed with the mail.
create table mail_hit (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  email_id text collate "C" not null,
  kind text not null,
  address text not null,
  url text not null default '',
  ip_address text not null default '',
  user_agent text not null default '',
  is_machine boolean not null default false,
  at timestamptz(3) not null,
  moment text not null,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('mail_hit');
create index mail_hit_at_idx on mail_hit (at, id);
create index mail_hit_email_id_idx on mail_hit (organization_id, email_id);
-- What one does twice within some seconds is one row.
create unique index mail_hit_once_key on mail_hit (organization_id, email_id, kind, address, md5(url), ip_address, is_machine, moment);

-- Whether it is noted who opens an e-mail and follows its links.
alter table activity add column tracking jsonb;
