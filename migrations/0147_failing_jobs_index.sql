-- concurrently
create index concurrently job_failing_idx on job (due_at) where state = 'scheduled' and failures > 0;
