-- Of how many files the bytes were not to be found. More than at the last good backup: it is no good one.
alter table backup add column missing_files integer not null default 0;
