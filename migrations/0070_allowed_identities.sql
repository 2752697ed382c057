-- Identities that an admin gave to an account, in lower case. Whoever sends by the account may send as them. Accounts of admins keep
-- what they have.
alter table connected_account add column allowed_identities text[] not null default '{}';

update connected_account a set allowed_identities =
    array(select distinct lower(trim(one->>'email')) from jsonb_array_elements(a.identities) one
      where lower(trim(one->>'email')) <> lower(coalesce(a.email, '')))
  from membership m left join role r on r.organization_id = m.organization_id and r.id = m.role_id
  where m.organization_id = a.organization_id and m.user_id = a.user_id
    and (m.role_id = 'admin' or 'manage_organization' = any(r.permissions));
