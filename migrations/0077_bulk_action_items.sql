-- The items of bulk actions: which records each covers, and what became of them. What an undo needs is kept with the item, and both
-- are deleted when the undo is no longer possible.

alter table bulk_action
  drop constraint bulk_action_kind_check,
  add constraint bulk_action_kind_check check (kind in ('edit', 'delete', 'email', 'sequence_subscription', 'undo')),
  drop constraint bulk_action_status_check,
  add constraint bulk_action_status_check
    check (status in ('created', 'loading', 'processing', 'done', 'paused', 'resuming', 'canceled', 'error')),
  add column n_succeeded integer not null default 0,
  add column n_skipped integer not null default 0,
  add column error text,
  -- Of an action: what undoes it. Of an undo: what it undoes.
  add column undo_action_id text collate "C",
  add column undoes text collate "C";

create table bulk_action_item (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  bulk_action_id text collate "C" not null,
  ord integer not null,
  object_id text collate "C" not null,
  lead_id text collate "C",
  -- The first item of its lead: so leads are counted without being remembered.
  opens_lead boolean not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'skipped', 'failed')),
  error text,
  -- The address that was written to, so that nobody gets the same mail twice.
  address text,
  -- What an undo needs.
  kept jsonb,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('bulk_action_item');
create index bulk_action_item_ord_idx on bulk_action_item (organization_id, bulk_action_id, ord);
create index bulk_action_item_status_idx on bulk_action_item (organization_id, bulk_action_id, status, ord);
create index bulk_action_item_address_idx on bulk_action_item (organization_id, bulk_action_id, address) where address is not null;
create index bulk_action_item_date_created_idx on bulk_action_item (date_created);
