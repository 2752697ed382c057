-- Whether a member has a prospect with an address that they did not confirm is asked for each mail from a contact.
create index inbox_prospect_held_idx on inbox_prospect (organization_id, user_id, lower(email)) where status <> 'converted' and email is not null;
