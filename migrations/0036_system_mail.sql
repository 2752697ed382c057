-- What reaches people beside the interface: notifications that are counted instead of repeated, and mail of the service itself.

alter table notification
  add column count bigint not null default 1,
  -- Type, object and five minutes: what tells the same again counts this one up. Null once it is read or mailed.
  add column group_key text,
  -- The mail that it went into.
  add column system_mail_id text collate "C";
create unique index notification_group_key_key on notification (organization_id, user_id, group_key) where group_key is not null;
-- What may be mailed, in all organizations.
create index notification_unmailed_idx on notification (date_created) where not is_read and system_mail_id is null;
create index notification_system_mail_id_idx on notification (organization_id, system_mail_id) where system_mail_id is not null;

-- A mail of the service itself. What it says is put together when it leaves, so that nothing personal lies here.
create table system_mail (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  kind text not null check (kind in ('invitation', 'digest')),
  user_id text collate "C" not null,
  -- Of an invitation: the membership, and the secret of its link for as long as the mail has not left.
  membership_id text collate "C",
  sealed_token text,
  status text not null default 'outbox' check (status in ('outbox', 'sent', 'error', 'dropped')),
  tries integer not null default 0,
  error text,
  created_by text collate "C",
  date_created timestamptz(3) not null,
  date_ended timestamptz(3),
  primary key (organization_id, id),
  check ((kind = 'invitation') = (membership_id is not null)),
  check ((status = 'outbox') = (date_ended is null))
);
call tenant_table('system_mail');
create index system_mail_membership_id_idx on system_mail (organization_id, date_created) where membership_id is not null;
create index system_mail_date_created_idx on system_mail (date_created);

-- The link by which an invitation is accepted: the newest of a membership. Only a hash of its secret is kept.
create table invitation (
  organization_id text collate "C" not null references organization (id),
  membership_id text collate "C" not null,
  hash text not null,
  invited_by text collate "C",
  expires_at timestamptz(3) not null,
  date_created timestamptz(3) not null,
  primary key (organization_id, membership_id)
);
call tenant_table('invitation');
alter table invitation add constraint invitation_membership_id_fkey
  foreign key (organization_id, membership_id) references membership (organization_id, id) deferrable initially immediate;
-- Found by the hash alone: 256 random bits make it unique.
create unique index invitation_hash_key on invitation (hash, organization_id);

-- Whether and when a person is told by mail; what is not said is as by default.
alter table "user" add column notification_settings jsonb not null default '{}';
grant select (notification_settings), update (notification_settings) on "user" to headwater_app;
