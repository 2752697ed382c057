-- Since when an automation is paused: what happened before still starts it.
alter table automation add column paused_at timestamptz(3);
