-- The values of status columns that an import took for a status of their kind.
alter table import add column mapped_values jsonb not null default '[]';
