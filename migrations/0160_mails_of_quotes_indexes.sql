-- concurrently
create index concurrently system_mail_recipient_idx on system_mail (recipient, date_created) where recipient is not null;
create index concurrently system_mail_signed_quote_idx on system_mail (organization_id, date_created) where recipient is not null;
