-- The request that caused a job, for the log. Null for what a timer, the log of events or another kind of work caused.
alter table job add column request_id text;
