-- What the conditions of a step found, for whoever asks why a run went its way.
alter table automation_step_run add column decision jsonb;

-- A draft that is replayed is kept as a version without a number.
alter table automation_version alter column number drop not null, alter column published_at drop not null;
