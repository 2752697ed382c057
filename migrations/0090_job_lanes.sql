-- Jobs that use one thing that may be slow, such as a mailbox, are in one lane, so that other lanes need not wait for it.
alter table job add column lane text not null default '';

update job j set lane = coalesce(a.email_account_id, a.released_by, a.user_id, a.created_by, '')
from activity a where j.kind in ('email', 'sent_copy') and a.organization_id = j.organization_id and a.id = j.object_id;

drop index job_ready_idx;
create index job_ready_idx on job (kind, organization_id, lane, due_at, object_id) where state = 'ready';
