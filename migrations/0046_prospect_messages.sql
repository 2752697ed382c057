-- Who writes before anybody has looked keeps all of it, and a private mailbox stays private.

alter table inbox_prospect
  -- Whose mailbox they wrote to, and which; null for what comes to the whole organization, such as a text message.
  add column user_id text collate "C",
  add column account_id text collate "C",
  add column message_count integer not null default 1;
call reference('inbox_prospect', 'user_id', 'membership', 'user_id');
-- One new prospect for each address and mailbox.
drop index inbox_prospect_email_key;
create unique index inbox_prospect_email_key on inbox_prospect (organization_id, lower(email), coalesce(account_id, ''))
  where status = 'new' and email is not null;

-- A message of a prospect, as it is filed when the prospect is converted.
create table prospect_message (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  prospect_id text collate "C" not null,
  -- Of mail: by which it is known wherever it lies, and the e-mail that it becomes.
  identity text collate "C",
  email jsonb,
  subject text,
  body_text text,
  -- What else came with it.
  message jsonb not null default '{}',
  received_at timestamptz(3) not null,
  date_created timestamptz(3) not null,
  primary key (organization_id, id)
);
call tenant_table('prospect_message');
call reference('prospect_message', 'prospect_id', 'inbox_prospect');
create index prospect_message_identity_idx on prospect_message (organization_id, identity) where identity is not null;

-- Bytes that came with it, in their order. They become a file of the lead, or go with the message.
create table prospect_file (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  message_id text collate "C" not null,
  storage_key text not null,
  -- What a file is made of.
  part jsonb not null,
  date_created timestamptz(3) not null,
  primary key (organization_id, id)
);
call tenant_table('prospect_file');
call reference('prospect_file', 'message_id', 'prospect_message');
create trigger remove_stored_bytes after delete on prospect_file for each row execute function remove_stored_bytes();
create trigger keep_stored_bytes after insert on prospect_file for each row execute function keep_stored_bytes();
