-- Statistics count what did not start, of one automation.
create index automation_event_matched_idx on automation_event using gin (matched_automation_ids);
