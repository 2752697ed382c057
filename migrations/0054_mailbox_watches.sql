-- Which worker holds a connection to a mailbox that tells of new mail at once.

create table mailbox_watch (
  organization_id text collate "C" not null references organization (id),
  account_id text collate "C" not null,
  -- The worker that holds it, until then unless it says so again. Null where none does.
  worker text collate "C",
  held_until timestamptz(3),
  -- By what the account is entered, hashed: where that changes, what failed before says nothing any more.
  entrance text not null,
  -- How often in a row the connection failed, and when it is tried again.
  failures integer not null default 0,
  again_at timestamptz(3),
  primary key (organization_id, account_id),
  foreign key (organization_id, account_id) references connected_account (organization_id, id) on delete cascade
);
call tenant_table('mailbox_watch');
create index mailbox_watch_worker_idx on mailbox_watch (worker) where worker is not null;

-- Mailboxes that are read, of all organizations.
create index connected_account_receive_status_idx on connected_account (receive_status) where receive_status <> 'disabled';

-- Nothing is tried until somebody changes the account: the login was refused, or workers ended in the middle of reading it.
alter table mailbox add column needs_owner boolean not null default false;
set local role headwater_system;
update mailbox b set needs_owner = true from connected_account a
  where a.organization_id = b.organization_id and a.id = b.account_id and a.receive_status = 'error' and not exists (
    select from job j where j.organization_id = b.organization_id and j.kind = 'mailbox' and j.object_id = b.account_id);
reset role;

-- A large message that is being fetched, and how often that was begun.
alter table mailbox_folder add column tried_uid bigint, add column tries integer not null default 0;
