-- Who offers a quote and to whom, as its recipient reads it: fixed when the quote is sent.
alter table quote add column parties jsonb, add column logo_file_id text collate "C";
call reference('quote', 'logo_file_id', 'file');
update quote q set
  parties = jsonb_build_object(
    'seller', jsonb_build_object(
      'name', coalesce(nullif(btrim(o.settings #>> '{branding,name}'), ''), o.name),
      'address', nullif(btrim(o.settings #>> '{branding,address}'), '')),
    'to', to_jsonb(array_remove(array[
      coalesce((select l.display_name from lead l where l.organization_id = q.organization_id and l.id = q.lead_id), q.kept_lead_name),
      (select c.display_name from contact c where c.organization_id = q.organization_id and c.id = q.contact_id)], null)),
    'timezone', o.timezone),
  logo_file_id = (select f.id from file f where f.organization_id = q.organization_id and f.id = o.settings #>> '{branding,logo_file_id}'
    and f.lead_id is null and f.private_to is null and not f.is_system)
from organization o where o.id = q.organization_id and q.status <> 'draft' and q.date_sent is not null;
