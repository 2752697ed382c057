-- What a dry run of an import found.
alter table import add column preview jsonb;
