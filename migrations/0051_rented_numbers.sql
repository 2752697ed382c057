-- Numbers at the telephony provider.
alter table phone_number add column status_details text;
-- Those that are not confirmed yet are asked for again.
create index phone_number_pending_idx on phone_number (date_created) where status in ('pending', 'porting') and type = 'internal';
