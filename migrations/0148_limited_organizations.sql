-- What the operator leaves an organization of the usual limits: null for all of it, 0 to suspend it.
alter table organization add column limit_percent smallint constraint organization_limit_percent_check check (limit_percent between 0 and 99);
