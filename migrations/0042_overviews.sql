-- The newest calls and summaries of a lead or a contact.
create index activity_call_idx on activity (organization_id, lead_id, activity_at desc, id desc) where _type = 'Call';
create index activity_contact_call_idx on activity (organization_id, contact_id, activity_at desc, id desc)
  where _type = 'Call' and contact_id is not null;
create index activity_summary_idx on activity (organization_id, lead_id, activity_at desc) where summary is not null;
