-- The hash of the address that an accepted quote is mailed to, by which mails to one person are counted.
alter table system_mail add column recipient text collate "C";
