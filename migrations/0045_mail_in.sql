-- Mail that arrives: how far each mailbox is read, and what has been filed already.

alter table connected_account add column last_synced_at timestamptz(3);

-- How fetching from an account goes. Made when it is first fetched from; goes with the account.
create table mailbox (
  organization_id text collate "C" not null references organization (id),
  account_id text collate "C" not null,
  -- What arrived before is not fetched.
  since timestamptz(3) not null,
  -- How often in a row fetching failed, and since when.
  failures integer not null default 0,
  failing_since timestamptz(3),
  primary key (organization_id, account_id),
  foreign key (organization_id, account_id) references connected_account (organization_id, id) on delete cascade
);
call tenant_table('mailbox');

-- How far a folder of an account is read. UIDs grow within one UIDVALIDITY; under another they mean other messages.
create table mailbox_folder (
  organization_id text collate "C" not null references organization (id),
  account_id text collate "C" not null,
  role text not null check (role in ('inbox', 'sent')),
  path text not null,
  uid_validity bigint not null,
  last_uid bigint not null,
  primary key (organization_id, account_id, role),
  foreign key (organization_id, account_id) references mailbox (organization_id, account_id) on delete cascade
);
call tenant_table('mailbox_folder');

-- What has been filed, or was sent by us: each message once, however many mailboxes it lies in. It outlives what it was filed as, so that
-- what somebody deleted does not come again.
create table mail_identity (
  organization_id text collate "C" not null references organization (id),
  -- The Message-ID, or a hash of the message where it has none.
  identity text collate "C" not null,
  activity_id text collate "C",
  date_created timestamptz(3) not null,
  primary key (organization_id, identity)
);
call tenant_table('mail_identity');

-- Members in whose mailboxes an e-mail lies, beside those whom it names.
alter table activity add column mailbox_user_ids text[];

-- Accounts that are to be fetched from already.
set local role headwater_system;
insert into job (organization_id, kind, object_id, state, due_at)
  select organization_id, 'mailbox', id, 'ready', now() from connected_account
  where imap is not null and 'email_syncing' = any(enabled_features) on conflict do nothing;
reset role;
