-- Reverting an import: who asked for it, and what became of it. Rows that are reverted keep nothing any more.
alter table import add column reverted jsonb, add column reverted_by text;
create index import_row_kept_idx on import_row (organization_id, import_id, n) where kept is not null;
