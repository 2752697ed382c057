-- When the step of a subscription was due as it ended, for whoever resumes it.
alter table sequence_subscription add column was_due_at timestamptz(3);
