-- The invitations to a person, of all organizations: no more than three in an hour are mailed.
create index system_mail_user_id_idx on system_mail (user_id, date_created) where membership_id is not null;
