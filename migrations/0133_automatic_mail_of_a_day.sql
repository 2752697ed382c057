-- How many of a mailbox's mails of a day nobody wrote by hand: those of sequences, bulk work and automations.
alter table mailbox_day add column automatic integer not null default 0;
