-- Where no mail is sent, whoever invites somebody sees the link, too. A sign-in that was made by such a link proves nothing about the
-- address, so it is only good in the organization that invited, until a mailed link or the operator says otherwise.
alter table "user" add column vouched_by text collate "C";
alter table password_link add column seen_by text collate "C";
