-- Who takes part in meetings and conversations is found by their ids, when contacts are merged or deleted.
create index activity_attendees_idx on activity using gin (organization_id, attendees jsonb_path_ops) where attendees is not null;
create index conversation_people_idx on conversation using gin (organization_id, people jsonb_path_ops);
