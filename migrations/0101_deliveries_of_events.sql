-- An event shows what became of it at each webhook.
create index webhook_delivery_event_id_idx on webhook_delivery (organization_id, event_id);
