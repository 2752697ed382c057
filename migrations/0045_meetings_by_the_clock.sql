-- Every few seconds the service looks which meetings began or ended. Those of the time before are as they are, and told of no more.
update activity set status = case when ends_at <= now() then 'completed' else 'in-progress' end
where _type = 'Meeting' and status in ('upcoming', 'in-progress') and starts_at <= now();
create index activity_meeting_clock_idx on activity (starts_at) where _type = 'Meeting' and status in ('upcoming', 'in-progress');
