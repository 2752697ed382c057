-- The PDF of an accepted quote, with who accepted it, and the mail that brings it to them.
alter table quote add column signed_file_id text collate "C";
call reference('quote', 'signed_file_id', 'file');
alter table system_mail add column quote_id text collate "C",
  alter column user_id drop not null,
  drop constraint system_mail_kind_check,
  add constraint system_mail_kind_check check (kind in ('invitation', 'digest', 'password', 'signed_quote')),
  add constraint system_mail_quote_check check ((kind = 'signed_quote') = (quote_id is not null)),
  add constraint system_mail_user_check check ((kind = 'signed_quote') = (user_id is null));
