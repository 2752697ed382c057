-- Texts that are written once and sent many times.

-- The text of an e-mail, with places to fill in. It belongs to whoever made it; others see it when it is shared.
create table email_template (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text not null,
  subject text not null default '',
  body text not null default '',
  is_shared boolean not null default false,
  is_archived boolean not null default false,
  attachments jsonb not null default '[]',
  unsubscribe_link_location text,
  user_id text collate "C" not null,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('email_template');
call reference('email_template', 'user_id', 'membership', 'user_id');
create index email_template_date_created_idx on email_template (organization_id, date_created desc, id desc);

-- The same for text messages.
create table sms_template (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  name text not null,
  text text not null default '',
  is_shared boolean not null default false,
  status text not null default 'active',
  attachments jsonb not null default '[]',
  user_id text collate "C" not null,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('sms_template');
call reference('sms_template', 'user_id', 'membership', 'user_id');
create index sms_template_date_created_idx on sms_template (organization_id, date_created desc, id desc);
