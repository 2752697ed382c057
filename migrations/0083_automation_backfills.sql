-- A batch is started by hand, or by publishing for the records that are there already.
alter table automation_batch add column kind text not null default 'bulk' check (kind in ('bulk', 'backfill'));
