-- Threads of a lead by subject, for each message that answers none. By a hash, because a subject may be longer than an index entry.
create index activity_thread_subject_idx on activity
  (organization_id, lead_id, hashtextextended(lower(latest_normalized_subject), 0), activity_at desc, id desc)
  where _type = 'EmailThread';
