-- Who calls or texts a member's personal number is that member's prospect alone, as who writes to their mailbox is.
drop index inbox_prospect_phone_key;
create unique index inbox_prospect_phone_key on inbox_prospect (organization_id, phone, coalesce(user_id, ''))
  where status = 'new' and email is null and phone is not null;

update inbox_prospect p set user_id = n.user_id from phone_number n
  where n.organization_id = p.organization_id and n.number = p.message->>'local_phone' and not n.is_group_number
    and p.status = 'new' and p.user_id is null and p.email is null
    and not exists (select from prospect_message m
      where m.organization_id = p.organization_id and m.prospect_id = p.id and m.message->>'local_phone' is distinct from n.number);
