-- Something that happened at a lead, or is planned: a note, a call, a message, a meeting, or what the service noted by itself.
-- All kinds share one table, so that a lead's history is one index scan; `_type` tells them apart. Columns of other kinds are
-- null and take a bit each. Kinds that have a field of the same meaning share its column.
create table activity (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  _type text collate "C" not null,
  lead_id text collate "C" not null,
  contact_id text collate "C",
  opportunity_id text collate "C",
  conversation_id text collate "C",
  user_id text collate "C",
  users text[],
  activity_at timestamptz(3) not null,
  attachments jsonb,
  automation_run_id text collate "C",
  sequence_id text collate "C",
  sequence_subscription_id text collate "C",

  -- Note, and what calls and meetings carry of one.
  note text,
  note_html text,
  title text,
  pinned boolean,
  pinned_at timestamptz(3),
  pinned_by text collate "C",
  mentions text[],

  -- Call.
  direction text,
  status text,
  disposition text,
  duration integer,
  phone text,
  phone_formatted text,
  remote_country_iso text,
  local_phone text,
  local_phone_formatted text,
  local_country_iso text,
  outcome_id text,
  outcome text,
  recording_url text,
  recording_expires_at timestamptz(3),
  recording_transcript jsonb,
  voicemail_url text,
  voicemail_duration integer,
  voicemail_transcript jsonb,
  call_method text,
  source text,
  dialer_id text collate "C",
  cost text,
  transferred_from text,
  transferred_to text,
  forwarded_to text,
  is_forwarded boolean,
  is_joinable boolean,
  is_to_group_number boolean,
  coach_legs jsonb,
  date_answered timestamptz(3),
  quality_info jsonb,
  playbook_id text,

  -- E-mail; `send_after` is when the sender may take it, null for what is not to be sent.
  sender text,
  "to" jsonb,
  cc jsonb,
  bcc jsonb,
  subject text,
  body_text text,
  body_html text,
  body_preview text,
  template_id text collate "C",
  date_scheduled timestamptz(3),
  date_sent timestamptz(3),
  send_after timestamptz(3),
  followup_date timestamptz(3),
  followup_sequence_id text collate "C",
  followup_sequence_delay integer,
  followup_sequence_add_cc_bcc boolean,
  in_reply_to_id text collate "C",
  thread_id text collate "C",
  message_ids text[],
  "references" text[],
  envelope jsonb,
  opens jsonb,
  opens_summary text,
  clicks jsonb,
  clicks_summary text,
  has_reply boolean,
  send_attempts jsonb,
  email_account_id text collate "C",
  send_as_id text collate "C",
  bulk_email_action_id text collate "C",
  need_smtp_credentials boolean,

  -- E-mail thread.
  latest_normalized_subject text,
  n_emails integer,
  participants jsonb,

  -- SMS and channel message.
  text text,
  remote_phone text,
  remote_phone_formatted text,
  error_message text,
  channel text,
  message_markdown text,
  message_html text,
  external_message_id text,
  local_handle text,
  remote_handle text,
  response_to_id text collate "C",
  integration_link text,
  integration_name text,

  -- Meeting; its `status` is as of the last write, the clock moves it on.
  starts_at timestamptz(3),
  ends_at timestamptz(3),
  location text,
  user_note text,
  user_note_html text,
  user_note_mentions text[],
  attendees jsonb,
  conference_links jsonb,
  is_recurring boolean,
  calendar_event_link text,
  calendar_event_uids text[],
  connected_account_id text collate "C",
  provider_calendar_id text,
  provider_calendar_event_id text,
  summary text,
  transcripts jsonb,
  integrations jsonb,
  notetaker_id text,

  -- What the service notes by itself. Statuses and tasks may be gone later, so their words are copied and no key points at them.
  import_id text collate "C",
  old_status_id text collate "C",
  old_status_label text,
  old_status_type text,
  old_pipeline_id text collate "C",
  old_pipeline_name text,
  new_status_id text collate "C",
  new_status_label text,
  new_status_type text,
  new_pipeline_id text collate "C",
  new_pipeline_name text,
  opportunity_value bigint,
  opportunity_value_currency text,
  opportunity_value_period text,
  opportunity_confidence integer,
  opportunity_date_won date,
  task_id text collate "C",
  task_text text,
  task_assigned_to text collate "C",
  source_lead_id text collate "C",
  source_lead_name text,
  destination_lead_id text collate "C",

  -- Custom activity; its values lie in `custom`.
  custom_activity_type_id text collate "C",
  last_published_at timestamptz(3),

  custom jsonb,
  search tsvector,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('activity');
call rendered_table('activity');
-- The index of each reference is ordered as lists are: a lead's, a contact's, a member's history is read from it as it stands.
call reference('activity', 'lead_id', 'lead');
call reference('activity', 'contact_id', 'contact');
call reference('activity', 'opportunity_id', 'opportunity');
call reference('activity', 'user_id', 'membership', 'user_id');
call reference('activity', 'thread_id', 'activity');
call reference('activity', 'in_reply_to_id', 'activity');
call reference('activity', 'response_to_id', 'activity');
call reference('activity', 'custom_activity_type_id', 'custom_activity_type');
call reference('activity', 'conversation_id', 'conversation');
-- An e-mail leaves through an account, under an identity.
call reference('activity', 'email_account_id', 'connected_account');
call reference('activity', 'send_as_id', 'send_as');
-- An e-mail may be followed up by a sequence.
call reference('activity', 'followup_sequence_id', 'sequence');
create index activity_date_created_idx on activity (organization_id, date_created desc, id desc);
create index activity_date_updated_idx on activity (organization_id, date_updated desc, id desc);
create index activity_activity_at_idx on activity (organization_id, activity_at desc, id desc);
create index activity_type_idx on activity (organization_id, _type, date_created desc, id desc);
create index activity_task_id_idx on activity (organization_id, task_id) where task_id is not null;
create index activity_search_idx on activity using gin (search) where search is not null;
-- Finds a message by the ids that others gave it: another system's, or those in an e-mail's header.
create unique index activity_external_message_id_key on activity (organization_id, channel, external_message_id) where external_message_id is not null;
create index activity_message_ids_idx on activity using gin (organization_id, message_ids) where message_ids <> '{}';
-- What is due to be sent, for the sender: it works for all organizations.
create index activity_send_after_idx on activity (send_after) where send_after is not null;
create index activity_custom_idx on activity using gin (organization_id, custom jsonb_path_ops) where custom is not null;
-- What was written from a template. E-mails and text messages share the column, so no key can check it; what was sent keeps the
-- id and the name of a template that is gone.
create index activity_template_id_idx on activity (organization_id, template_id, date_created desc, id desc) where template_id is not null;
-- What the reports read of activities of some kinds in a range of time: an index that holds all they need, so that a count over a
-- hundred thousand rows reads a few megabytes of the index and not a hundred of the table. Columns of other kinds are null and take
-- no room. No report counts `Created`, which every lead brings.
create index activity_report_idx on activity (organization_id, _type, activity_at)
  include (user_id, lead_id, opportunity_id, direction, status, disposition, duration, call_method, outcome_id, ends_at,
           template_id, sequence_id, has_reply, opens_summary, clicks_summary, old_status_id, new_status_id, date_created)
  where _type <> 'Created';
-- The way of a deal, and of a lead, through its statuses.
create index activity_opportunity_status_idx on activity (organization_id, opportunity_id, activity_at)
  include (old_status_id, new_status_id) where _type = 'OpportunityStatusChange';
create index activity_lead_status_idx on activity (organization_id, lead_id, activity_at)
  include (old_status_id, new_status_id) where _type = 'LeadStatusChange';
-- The newest calls and summaries of a lead or a contact.
create index activity_call_idx on activity (organization_id, lead_id, activity_at desc, id desc) where _type = 'Call';
create index activity_contact_call_idx on activity (organization_id, contact_id, activity_at desc, id desc)
  where _type = 'Call' and contact_id is not null;
create index activity_summary_idx on activity (organization_id, lead_id, activity_at desc) where summary is not null;
-- Every few seconds the service looks which meetings began or ended, in all organizations.
create index activity_meeting_clock_idx on activity (starts_at) where _type = 'Meeting' and status in ('upcoming', 'in-progress');
-- Finds the people who take part in meetings by their ids, when contacts are merged or deleted.
create index activity_attendees_idx on activity using gin (organization_id, attendees jsonb_path_ops) where attendees is not null;
