-- Imports can be paused and canceled, a long dry run is a job, and the rows do not stay forever.
alter table import
  drop constraint import_status_check,
  add constraint import_status_check
    check (status in ('draft', 'queued', 'processing', 'paused', 'done', 'canceled', 'error', 'reverting', 'reverted')),
  -- What a dry run on its way tries, in whose name, and how far it is.
  add column trial jsonb,
  -- When what a revert needs is removed, and after that the rows. Null once they are.
  add column clears_at timestamptz(3);
update import set clears_at = case when date_completed is null then date_created + interval '37 days' else date_completed + interval '48 hours' end
  where status not in ('queued', 'processing', 'reverting');
create index import_clears_at_idx on import (clears_at) where clears_at is not null;

-- A dry run goes through the rows of one lead together.
drop index import_row_key_idx;
create index import_row_key_idx on import_row (organization_id, import_id, key, n) where key is not null;
