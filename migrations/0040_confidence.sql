-- How likely a deal is won may be unknown.
alter table opportunity alter column confidence drop not null;
