-- Automations push contacts too, by exports of their own.
alter table mailing_export add column automation_run_id text collate "C";
