-- A stranger's voicemail to a member's own number is for that member alone, as the prospect is.
alter table file add column private_to text;

update file f set private_to = p.user_id
from inbox_prospect p, prospect_message m
where m.organization_id = p.organization_id and m.prospect_id = p.id and p.user_id is not null
  and f.organization_id = p.organization_id and f.lead_id is null
  and f.mime = 'audio/mpeg' and f.share_hash in (
    select encode(sha256(convert_to(substring(link from '/f/([^/]+)/'), 'UTF8')), 'hex')
    from unnest(array[m.message->>'voicemail_url', m.message->>'recording_url']) link);
