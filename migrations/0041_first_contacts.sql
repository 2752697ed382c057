-- What a lead without a name is called after: the name of its first contact.
alter table lead add column first_contact_name text;

update lead l set first_contact_name = c.display_name, display_name = c.display_name
from (select distinct on (organization_id, lead_id) organization_id, lead_id, display_name from contact
      order by organization_id, lead_id, date_created, id) c
where l.name is null and c.organization_id = l.organization_id and c.lead_id = l.id;

update lead set display_name = 'Untitled' where name is null and first_contact_name is null and display_name <> 'Untitled';
