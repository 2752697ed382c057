-- The hash of the address that an accepted quote is mailed to, by which mails to one person are counted.
alter table system_mail add column recipient text collate "C";
create index system_mail_recipient_idx on system_mail (recipient, date_created) where recipient is not null;
create index system_mail_signed_quote_idx on system_mail (organization_id, date_created) where recipient is not null;
