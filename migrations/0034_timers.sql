-- What the clock changes is found across organizations, the oldest first: an index for each due time that has none yet.
create index activity_call_waiting_idx on activity (date_created) where _type = 'Call' and status = 'created';
create index conversation_snoozed_until_idx on conversation (snoozed_until) where status = 'snoozed';
create index port_waiting_idx on port (submitted_at) where status = 'submitted';

-- When an open task is over: at the end of its day, where whoever is to do it is. Null where that was told, or will not be.
alter table task
  add overdue_at timestamptz(3),
  -- The day for which it was told.
  add overdue_told date;
create index task_overdue_at_idx on task (overdue_at) where overdue_at is not null;
-- Of the tasks there are, when their day is over where it is over first: the service looks then, and knows the time zones. What has been
-- over for long is not told.
update task set overdue_at = (date + time '10:00') at time zone 'UTC' where not is_complete and date >= current_date - 2;

-- Notifications are kept for 90 days: the oldest are found by this.
create index notification_old_idx on notification (date_created);

-- A link to a file may end at a time. Its secret is forgotten then, so that it never leads anywhere again.
alter table file add share_expires_at timestamptz(3);
alter table file alter share_hash drop not null;
alter table file alter share_token drop not null;
create index file_share_expires_at_idx on file (share_expires_at) where share_hash is not null and share_expires_at is not null;
