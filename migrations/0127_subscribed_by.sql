-- Which run of an automation or which bulk action subscribed a contact. It says nothing of those that were subscribed before.
alter table sequence_subscription add column automation_run_id text, add column bulk_action_id text;
