-- Dialers that are fed by the call steps of sequences: an entry is one task.
alter table dialer add column sequence_id text collate "C";
call reference('dialer', 'sequence_id', 'sequence');
alter table dialer_lead add column task_id text collate "C";
create unique index dialer_lead_task_id_idx on dialer_lead (organization_id, task_id, dialer_id) where task_id is not null;
