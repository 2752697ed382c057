-- A mailing export may be canceled.
alter table mailing_export drop constraint mailing_export_status_check;
alter table mailing_export add constraint mailing_export_status_check
  check (status in ('queued', 'running', 'completed', 'failed', 'canceled'));
