-- Starting an automation for many records is a bulk action, with items, progress, pause and an end. It had a table of its own.
alter table bulk_action
  drop constraint bulk_action_kind_check,
  add constraint bulk_action_kind_check check (kind in ('edit', 'delete', 'email', 'sequence_subscription', 'automation', 'undo')),
  add column automation_id text collate "C",
  add column run_kind text check (run_kind in ('bulk', 'backfill')),
  add column input jsonb;

-- What is under way goes on where it is.
insert into bulk_action (organization_id, id, kind, n_objects, n_leads, object_type, automation_id, run_kind, input, created_by, updated_by, date_created, date_updated)
  select b.organization_id, b.id, 'automation', greatest(cardinality(b.ids) - b.position, 0), 0, v.trigger->'config'->>'object_type', b.automation_id, b.kind,
    b.input, b.user_id, b.user_id, b.date_created, b.date_created
  from automation_batch b
  join automation a on a.organization_id = b.organization_id and a.id = b.automation_id
  join automation_version v on v.organization_id = a.organization_id and v.id = a.active_version_id;
insert into bulk_action_item (organization_id, id, bulk_action_id, ord, object_id, opens_lead, date_created, date_updated)
  select b.organization_id, 'bitem_' || left(split_part(b.id, '_', 2), 20) || lpad(i.ord::text, 6, '0'), b.id, i.ord, i.id, false, b.date_created, b.date_created
  from automation_batch b
  join bulk_action a on a.organization_id = b.organization_id and a.id = b.id,
  unnest(b.ids[b.position + 1 :]) with ordinality i(id, ord);
update job set kind = 'bulk_action' where kind = 'automation_batch';
drop table automation_batch;
