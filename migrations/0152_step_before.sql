-- When the step before the present one of a subscription was over, for an edit that gives it another step.
alter table sequence_subscription add column step_before_at timestamptz(3);
