-- Mailboxes that mail leaves through: who else may, how much a day, and that nothing is tried while its server is away.

alter table connected_account
  add column daily_cap integer check (daily_cap > 0),
  -- Members and groups who may send by it as well.
  add column shared_with text[] not null default '{}',
  -- Its server was away, or refused the login, so many times in a row; until then it is left in peace.
  add column send_failures integer not null default 0,
  add column send_again_at timestamptz(3);
-- Nothing has been sent by any of them yet.
update connected_account set send_status = 'untested' where send_status = 'ok' and _type = 'custom_email';

-- What waits for a mailbox is looked at when that is mended.
create index activity_waiting_account_idx on activity (organization_id, email_account_id) where send_after is not null;

-- How much a mailbox has sent on a day of its owner. Two members may have connected the same one: it is known by its address.
create table mailbox_day (
  organization_id text collate "C" not null references organization (id),
  -- In lower case.
  mailbox text collate "C" not null,
  day date not null,
  sent integer not null,
  date_created timestamptz(3) not null,
  primary key (organization_id, mailbox, day)
);
call tenant_table('mailbox_day');
create index mailbox_day_date_created_idx on mailbox_day (date_created);
