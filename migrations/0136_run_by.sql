-- In whose name it goes on after it stopped. Null for whoever asked for it.
alter table bulk_action add column run_by text;
alter table mailing_export add column run_by text;
alter table share_bulk add column run_by text;
