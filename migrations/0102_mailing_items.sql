-- The items of a mailing export that are left are found whatever the statistics say of a table that has just been filled.
drop index mailing_export_item_open_idx;
create index mailing_export_item_sending_idx on mailing_export_item (organization_id, mailing_export_id, ord) where status = 'sending';
create index mailing_export_item_pending_idx on mailing_export_item (organization_id, mailing_export_id, ord) where status = 'pending';
