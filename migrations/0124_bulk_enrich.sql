-- Enrichments of many records are started by a bulk action.
alter table bulk_action
  drop constraint bulk_action_kind_check,
  add constraint bulk_action_kind_check check (kind in ('edit', 'delete', 'email', 'sequence_subscription', 'enrich', 'automation', 'undo')),
  add column provider text check (provider in ('internal', 'peopledatalabs')),
  add column overwrite boolean;
