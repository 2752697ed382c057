-- A webhook's place is below every running transaction, so events that were committed before it was placed may lie after its place.
-- The snapshot of that moment tells them apart.
alter table webhook add column begins_after jsonb;

drop trigger place_webhook on webhook;
drop trigger place_webhook_again on webhook;
-- The former function stays for consumers, for which it makes no difference: they only look for work.
alter function place_webhook() rename to place_consumer;

create function place_webhook() returns trigger
  language plpgsql as $$
begin
  new.cursor_epoch := (select epoch from event_epoch);
  new.cursor_position := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
  new.begins_after := jsonb_build_object('epoch', new.cursor_epoch::text, 'snapshot', pg_current_snapshot()::text);
  return new;
end $$;
create trigger place_webhook before insert on webhook for each row when (new.cursor_position is null) execute function place_webhook();
create trigger place_webhook_again before update on webhook for each row when (new.cursor_position is null) execute function place_webhook();
