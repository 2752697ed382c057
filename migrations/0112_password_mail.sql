-- Mail with a link to set a password.
alter table system_mail drop constraint system_mail_kind_check,
  add constraint system_mail_kind_check check (kind in ('invitation', 'digest', 'password'));
