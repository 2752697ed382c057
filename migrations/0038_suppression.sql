-- Who is not written to any more, by which channel, by what of ours, and why: an address may be suppressed for several reasons, and each
-- is taken back by itself.
alter table unsubscribed_email rename column email to address;
alter table unsubscribed_email
  add column channel text not null default 'email',
  add column scope text not null default 'all',
  add column reason text not null default 'unsubscribed',
  add column source text,
  add column source_id text collate "C";
drop index unsubscribed_email_email_key;
create unique index unsubscribed_email_address_key on unsubscribed_email (organization_id, channel, address, scope, reason);
create index unsubscribed_email_source_id_idx on unsubscribed_email (organization_id, source_id) where source_id is not null;

-- Contacts say of each address whether mail reaches it.
set local role headwater_system;
update contact set emails = (select jsonb_agg(one || '{"is_invalid": false}' order by n) from jsonb_array_elements(emails) with ordinality e(one, n))
where emails <> '[]';
reset role;
