-- concurrently
create index concurrently activity_attachments_idx on activity using gin (organization_id, attachments jsonb_path_ops) where attachments <> '[]'::jsonb;
create index concurrently activity_recordings_idx on activity (organization_id, activity_at) where _type = 'Call' and (recording_url is not null or voicemail_url is not null or recording_transcript is not null or voicemail_transcript is not null);
