-- The address that an account was let in by. Another member cannot claim it.
alter table connected_account add column proven_email text;
update connected_account set proven_email = lower(email)
where email is not null and (granted_features is not null or last_synced_at is not null or send_status = 'ok');
create index connected_account_proven on connected_account (organization_id, proven_email) where proven_email is not null;
