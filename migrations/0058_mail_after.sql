-- What follows once a mail has left: a task where nobody answers.
alter table activity add column followup_made_at timestamptz(3);
create index activity_followup_date_idx on activity (followup_date)
  where _type = 'Email' and status = 'sent' and not has_reply and followup_date is not null and followup_made_at is null;
