create table account (
  id text not null,
  name text not null,
  owner_id text,
  billing_status text default 'active'::text not null,
  date_created timestamp(3) with time zone default now() not null,
  constraint account_pkey PRIMARY KEY (id),
  constraint account_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES "user"(id),
  constraint account_billing_status_check CHECK ((billing_status = ANY (ARRAY['active'::text, 'past_due'::text])))
);
alter table account enable row level security, force row level security;
create policy own on account to headwater_app using ((EXISTS ( SELECT
   FROM organization o
  WHERE (o.account_id = account.id))));
create policy system on account to headwater_system using (true);

create table activity (
  organization_id text not null,
  id text not null,
  _type text not null,
  lead_id text not null,
  contact_id text,
  opportunity_id text,
  conversation_id text,
  user_id text,
  users text[],
  activity_at timestamp(3) with time zone not null,
  attachments jsonb,
  automation_run_id text,
  sequence_id text,
  sequence_subscription_id text,
  note text,
  note_html text,
  title text,
  pinned boolean,
  pinned_at timestamp(3) with time zone,
  pinned_by text,
  mentions text[],
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
  recording_expires_at timestamp(3) with time zone,
  recording_transcript jsonb,
  voicemail_url text,
  voicemail_duration integer,
  voicemail_transcript jsonb,
  call_method text,
  source text,
  dialer_id text,
  cost text,
  transferred_from text,
  transferred_to text,
  forwarded_to text,
  is_forwarded boolean,
  is_joinable boolean,
  is_to_group_number boolean,
  coach_legs jsonb,
  date_answered timestamp(3) with time zone,
  quality_info jsonb,
  playbook_id text,
  sender text,
  "to" jsonb,
  cc jsonb,
  bcc jsonb,
  subject text,
  body_text text,
  body_html text,
  body_preview text,
  template_id text,
  date_scheduled timestamp(3) with time zone,
  date_sent timestamp(3) with time zone,
  send_after timestamp(3) with time zone,
  followup_date timestamp(3) with time zone,
  followup_sequence_id text,
  followup_sequence_delay integer,
  followup_sequence_add_cc_bcc boolean,
  in_reply_to_id text,
  thread_id text,
  message_ids text[],
  "references" text[],
  envelope jsonb,
  opens jsonb,
  opens_summary text,
  clicks jsonb,
  clicks_summary text,
  has_reply boolean,
  send_attempts jsonb,
  email_account_id text,
  send_as_id text,
  bulk_email_action_id text,
  need_smtp_credentials boolean,
  latest_normalized_subject text,
  n_emails integer,
  participants jsonb,
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
  response_to_id text,
  integration_link text,
  integration_name text,
  starts_at timestamp(3) with time zone,
  ends_at timestamp(3) with time zone,
  location text,
  user_note text,
  user_note_html text,
  user_note_mentions text[],
  attendees jsonb,
  conference_links jsonb,
  is_recurring boolean,
  calendar_event_link text,
  calendar_event_uids text[],
  connected_account_id text,
  provider_calendar_id text,
  provider_calendar_event_id text,
  summary text,
  transcripts jsonb,
  integrations jsonb,
  notetaker_id text,
  import_id text,
  old_status_id text,
  old_status_label text,
  old_status_type text,
  old_pipeline_id text,
  old_pipeline_name text,
  new_status_id text,
  new_status_label text,
  new_status_type text,
  new_pipeline_id text,
  new_pipeline_name text,
  opportunity_value bigint,
  opportunity_value_currency text,
  opportunity_value_period text,
  opportunity_confidence integer,
  opportunity_date_won date,
  task_id text,
  task_text text,
  task_assigned_to text,
  source_lead_id text,
  source_lead_name text,
  destination_lead_id text,
  custom_activity_type_id text,
  last_published_at timestamp(3) with time zone,
  custom jsonb,
  search tsvector,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  rendered text,
  released_by text,
  sending_at timestamp(3) with time zone,
  receipts jsonb,
  classification jsonb,
  class_effects jsonb,
  bounces jsonb,
  sending_account text,
  provider_id text,
  delivery_status text,
  mailbox_user_ids text[],
  tracking jsonb,
  turn_at timestamp(3) with time zone,
  followup_made_at timestamp(3) with time zone,
  answered_by text,
  machine_leg text,
  other_leg text,
  voicemail_drop_file_id text,
  constraint activity_pkey PRIMARY KEY (organization_id, id),
  constraint activity_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contact(organization_id, id) DEFERRABLE,
  constraint activity_conversation_id_fkey FOREIGN KEY (organization_id, conversation_id) REFERENCES conversation(organization_id, id) DEFERRABLE,
  constraint activity_custom_activity_type_id_fkey FOREIGN KEY (organization_id, custom_activity_type_id) REFERENCES custom_activity_type(organization_id, id) DEFERRABLE,
  constraint activity_email_account_id_fkey FOREIGN KEY (organization_id, email_account_id) REFERENCES connected_account(organization_id, id) DEFERRABLE,
  constraint activity_followup_sequence_id_fkey FOREIGN KEY (organization_id, followup_sequence_id) REFERENCES sequence(organization_id, id) DEFERRABLE,
  constraint activity_in_reply_to_id_fkey FOREIGN KEY (organization_id, in_reply_to_id) REFERENCES activity(organization_id, id) DEFERRABLE,
  constraint activity_lead_id_fkey FOREIGN KEY (organization_id, lead_id) REFERENCES lead(organization_id, id) DEFERRABLE,
  constraint activity_opportunity_id_fkey FOREIGN KEY (organization_id, opportunity_id) REFERENCES opportunity(organization_id, id) DEFERRABLE,
  constraint activity_response_to_id_fkey FOREIGN KEY (organization_id, response_to_id) REFERENCES activity(organization_id, id) DEFERRABLE,
  constraint activity_send_as_id_fkey FOREIGN KEY (organization_id, send_as_id) REFERENCES send_as(organization_id, id) DEFERRABLE,
  constraint activity_thread_id_fkey FOREIGN KEY (organization_id, thread_id) REFERENCES activity(organization_id, id) DEFERRABLE,
  constraint activity_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES membership(organization_id, user_id) DEFERRABLE
);
CREATE INDEX activity_activity_at_idx ON public.activity USING btree (organization_id, activity_at DESC, id DESC);
CREATE INDEX activity_attachments_idx ON public.activity USING gin (organization_id, attachments jsonb_path_ops) WHERE (attachments <> '[]'::jsonb);
CREATE INDEX activity_attendees_idx ON public.activity USING gin (organization_id, attendees jsonb_path_ops) WHERE (attendees IS NOT NULL);
CREATE INDEX activity_automation_run_idx ON public.activity USING btree (organization_id, automation_run_id) WHERE (automation_run_id IS NOT NULL);
CREATE INDEX activity_bounces_idx ON public.activity USING gin (organization_id, bounces jsonb_path_ops) WHERE ((bounces IS NOT NULL) AND (bounces <> '[]'::jsonb));
CREATE INDEX activity_by_dialers_idx ON public.activity USING btree (organization_id, activity_at) WHERE (dialer_id IS NOT NULL);
CREATE INDEX activity_call_idx ON public.activity USING btree (organization_id, lead_id, activity_at DESC, id DESC) WHERE (_type = 'Call'::text);
CREATE INDEX activity_call_talking_idx ON public.activity USING btree (date_answered) WHERE ((_type = 'Call'::text) AND (status = 'in-progress'::text) AND (provider_id IS NOT NULL));
CREATE INDEX activity_call_waiting_idx ON public.activity USING btree (date_created) WHERE ((_type = 'Call'::text) AND (status = 'created'::text));
CREATE INDEX activity_contact_call_idx ON public.activity USING btree (organization_id, contact_id, activity_at DESC, id DESC) WHERE ((_type = 'Call'::text) AND (contact_id IS NOT NULL));
CREATE INDEX activity_contact_id_idx ON public.activity USING btree (organization_id, contact_id, date_created DESC, id DESC) WHERE (contact_id IS NOT NULL);
CREATE INDEX activity_conversation_id_idx ON public.activity USING btree (organization_id, conversation_id, date_created DESC, id DESC) WHERE (conversation_id IS NOT NULL);
CREATE INDEX activity_custom_activity_type_id_idx ON public.activity USING btree (organization_id, custom_activity_type_id, date_created DESC, id DESC) WHERE (custom_activity_type_id IS NOT NULL);
CREATE INDEX activity_custom_idx ON public.activity USING gin (organization_id, custom jsonb_path_ops) WHERE (custom IS NOT NULL);
CREATE INDEX activity_date_created_idx ON public.activity USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX activity_date_updated_idx ON public.activity USING btree (organization_id, date_updated DESC, id DESC);
CREATE INDEX activity_dialer_idx ON public.activity USING btree (organization_id, dialer_id, activity_at) WHERE (dialer_id IS NOT NULL);
CREATE INDEX activity_email_account_id_idx ON public.activity USING btree (organization_id, email_account_id, date_created DESC, id DESC) WHERE (email_account_id IS NOT NULL);
CREATE UNIQUE INDEX activity_external_message_id_key ON public.activity USING btree (organization_id, channel, external_message_id) WHERE (external_message_id IS NOT NULL);
CREATE INDEX activity_followup_date_idx ON public.activity USING btree (followup_date) WHERE ((_type = 'Email'::text) AND (status = 'sent'::text) AND (NOT has_reply) AND (followup_date IS NOT NULL) AND (followup_made_at IS NULL));
CREATE INDEX activity_followup_sequence_id_idx ON public.activity USING btree (organization_id, followup_sequence_id, date_created DESC, id DESC) WHERE (followup_sequence_id IS NOT NULL);
CREATE INDEX activity_in_reply_to_id_idx ON public.activity USING btree (organization_id, in_reply_to_id, date_created DESC, id DESC) WHERE (in_reply_to_id IS NOT NULL);
CREATE INDEX activity_lead_id_idx ON public.activity USING btree (organization_id, lead_id, date_created DESC, id DESC) WHERE (lead_id IS NOT NULL);
CREATE INDEX activity_lead_status_idx ON public.activity USING btree (organization_id, lead_id, activity_at) INCLUDE (old_status_id, new_status_id) WHERE (_type = 'LeadStatusChange'::text);
CREATE INDEX activity_meeting_clock_idx ON public.activity USING btree (starts_at) WHERE ((_type = 'Meeting'::text) AND (status = ANY (ARRAY['upcoming'::text, 'in-progress'::text])));
CREATE INDEX activity_message_ids_idx ON public.activity USING gin (organization_id, message_ids) WHERE (message_ids <> '{}'::text[]);
CREATE INDEX activity_opportunity_id_idx ON public.activity USING btree (organization_id, opportunity_id, date_created DESC, id DESC) WHERE (opportunity_id IS NOT NULL);
CREATE INDEX activity_opportunity_status_idx ON public.activity USING btree (organization_id, opportunity_id, activity_at) INCLUDE (old_status_id, new_status_id) WHERE (_type = 'OpportunityStatusChange'::text);
CREATE UNIQUE INDEX activity_provider_id_key ON public.activity USING btree (organization_id, provider_id) WHERE (provider_id IS NOT NULL);
CREATE INDEX activity_recordings_idx ON public.activity USING btree (organization_id, activity_at) WHERE ((_type = 'Call'::text) AND ((recording_url IS NOT NULL) OR (voicemail_url IS NOT NULL) OR (recording_transcript IS NOT NULL) OR (voicemail_transcript IS NOT NULL)));
CREATE INDEX activity_report_idx ON public.activity USING btree (organization_id, _type, activity_at) INCLUDE (user_id, lead_id, opportunity_id, direction, status, disposition, duration, call_method, outcome_id, ends_at, template_id, sequence_id, has_reply, opens_summary, clicks_summary, old_status_id, new_status_id, date_created) WHERE (_type <> 'Created'::text);
CREATE INDEX activity_response_to_id_idx ON public.activity USING btree (organization_id, response_to_id, date_created DESC, id DESC) WHERE (response_to_id IS NOT NULL);
CREATE INDEX activity_search_idx ON public.activity USING gin (search) WHERE (search IS NOT NULL);
CREATE INDEX activity_send_after_idx ON public.activity USING btree (send_after) WHERE (send_after IS NOT NULL);
CREATE INDEX activity_send_as_id_idx ON public.activity USING btree (organization_id, send_as_id, date_created DESC, id DESC) WHERE (send_as_id IS NOT NULL);
CREATE INDEX activity_summary_idx ON public.activity USING btree (organization_id, lead_id, activity_at DESC) WHERE (summary IS NOT NULL);
CREATE INDEX activity_task_id_idx ON public.activity USING btree (organization_id, task_id) WHERE (task_id IS NOT NULL);
CREATE INDEX activity_template_id_idx ON public.activity USING btree (organization_id, template_id, date_created DESC, id DESC) WHERE (template_id IS NOT NULL);
CREATE INDEX activity_thread_id_idx ON public.activity USING btree (organization_id, thread_id, date_created DESC, id DESC) WHERE (thread_id IS NOT NULL);
CREATE INDEX activity_thread_subject_idx ON public.activity USING btree (organization_id, lead_id, hashtextextended(lower(latest_normalized_subject), (0)::bigint), activity_at DESC, id DESC) WHERE (_type = 'EmailThread'::text);
CREATE INDEX activity_type_idx ON public.activity USING btree (organization_id, _type, date_created DESC, id DESC);
CREATE INDEX activity_user_id_idx ON public.activity USING btree (organization_id, user_id, date_created DESC, id DESC) WHERE (user_id IS NOT NULL);
CREATE INDEX activity_waiting_account_idx ON public.activity USING btree (organization_id, email_account_id) WHERE (send_after IS NOT NULL);
alter table activity enable row level security, force row level security;
create policy organization on activity to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on activity to headwater_system using (true);
CREATE TRIGGER forget_rendering BEFORE UPDATE ON public.activity FOR EACH ROW EXECUTE FUNCTION forget_rendering();

create table agent_call (
  organization_id text not null,
  id text not null,
  tool text not null,
  arguments_hash text not null,
  object_ids text[] default '{}'::text[] not null,
  status integer not null,
  error text,
  is_dry_run boolean default false not null,
  duration_ms integer not null,
  bytes integer not null,
  request_id text not null,
  api_key_id text,
  oauth_client_id text,
  oauth_grant_id text,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint agent_call_pkey PRIMARY KEY (organization_id, id),
  constraint agent_call_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX agent_call_created_by_idx ON public.agent_call USING btree (organization_id, created_by, date_created DESC, id DESC);
CREATE INDEX agent_call_date_created_idx ON public.agent_call USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX agent_call_old_idx ON public.agent_call USING btree (date_created);
alter table agent_call enable row level security, force row level security;
create policy organization on agent_call to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on agent_call to headwater_system using (true);

create table ai_day (
  organization_id text not null,
  day date not null,
  tokens bigint not null,
  date_created timestamp(3) with time zone not null,
  constraint ai_day_pkey PRIMARY KEY (organization_id, day),
  constraint ai_day_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX ai_day_date_created_idx ON public.ai_day USING btree (date_created);
alter table ai_day enable row level security, force row level security;
create policy organization on ai_day to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on ai_day to headwater_system using (true);

create table api_key (
  organization_id text not null,
  id text not null,
  name text not null,
  user_id text not null,
  hash bytea not null,
  key_preview text not null,
  scopes text[] default '{read,write_safe,write_destructive}'::text[] not null,
  expires_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone default now() not null,
  date_updated timestamp(3) with time zone default now() not null,
  version integer default 1 not null,
  told_at timestamp with time zone,
  constraint api_key_pkey PRIMARY KEY (organization_id, id),
  constraint api_key_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint api_key_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES membership(organization_id, user_id) DEFERRABLE
);
CREATE INDEX api_key_ending_idx ON public.api_key USING btree (expires_at) WHERE ((told_at IS NULL) AND (expires_at IS NOT NULL));
CREATE UNIQUE INDEX api_key_hash_key ON public.api_key USING btree (hash, organization_id);
CREATE INDEX api_key_user_id_idx ON public.api_key USING btree (organization_id, user_id, date_created DESC, id DESC) WHERE (user_id IS NOT NULL);
alter table api_key enable row level security, force row level security;
create policy organization on api_key to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on api_key to headwater_system using (true);

create table automation (
  organization_id text not null,
  id text not null,
  generation text not null,
  name text not null,
  description text,
  status text not null,
  trigger jsonb not null,
  filter jsonb,
  graph jsonb not null,
  settings jsonb not null,
  trigger_type text not null,
  object_type text,
  active_version_id text,
  active_version integer,
  last_run_at timestamp(3) with time zone,
  runs_total bigint default 0 not null,
  runs_failed bigint default 0 not null,
  published jsonb,
  draft_revision integer,
  draft_updated_at timestamp(3) with time zone,
  draft_updated_by text,
  conditions jsonb,
  match text,
  actions jsonb,
  run_once_per_record boolean,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  in_flight text,
  hook_hash text,
  sealed_hook_token text,
  sealed_hook_secret text,
  sealed_hook_previous text,
  hook_previous_until timestamp(3) with time zone,
  hook_refused bigint default 0 not null,
  circuit jsonb,
  paused_at timestamp(3) with time zone,
  constraint automation_pkey PRIMARY KEY (organization_id, id),
  constraint automation_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX automation_date_created_idx ON public.automation USING btree (organization_id, generation, date_created DESC, id DESC);
CREATE UNIQUE INDEX automation_hook_hash_key ON public.automation USING btree (hook_hash, organization_id) WHERE (hook_hash IS NOT NULL);
CREATE INDEX automation_listening_idx ON public.automation USING btree (organization_id) INCLUDE (active_version_id, status) WHERE (status = ANY (ARRAY['active'::text, 'paused'::text]));
CREATE INDEX automation_trigger_type_idx ON public.automation USING btree (organization_id, trigger_type) WHERE (status = 'active'::text);
alter table automation enable row level security, force row level security;
create policy organization on automation to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on automation to headwater_system using (true);

create table automation_clock (
  organization_id text not null,
  automation_id text not null,
  since timestamp(3) with time zone not null,
  looked_until timestamp(3) with time zone not null,
  tick timestamp(3) with time zone,
  object_ids text[] default '{}'::text[] not null,
  occasions text[] default '{}'::text[] not null,
  "position" integer default 0 not null,
  constraint automation_clock_pkey PRIMARY KEY (organization_id, automation_id),
  constraint automation_clock_organization_id_automation_id_fkey FOREIGN KEY (organization_id, automation_id) REFERENCES automation(organization_id, id) ON DELETE CASCADE,
  constraint automation_clock_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
alter table automation_clock enable row level security, force row level security;
create policy organization on automation_clock to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on automation_clock to headwater_system using (true);

create table automation_event (
  organization_id text not null,
  id text not null,
  type text not null,
  source text,
  automation_id text,
  object_type text,
  object_id text,
  lead_id text,
  payload jsonb default '{}'::jsonb not null,
  matched_automation_ids text[] default '{}'::text[] not null,
  run_ids text[] default '{}'::text[] not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  evaluations jsonb default '[]'::jsonb not null,
  constraint automation_event_pkey PRIMARY KEY (organization_id, id),
  constraint automation_event_lead_id_fkey FOREIGN KEY (organization_id, lead_id) REFERENCES lead(organization_id, id) DEFERRABLE,
  constraint automation_event_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX automation_event_date_created_idx ON public.automation_event USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX automation_event_lead_id_idx ON public.automation_event USING btree (organization_id, lead_id, date_created DESC, id DESC) WHERE (lead_id IS NOT NULL);
CREATE INDEX automation_event_matched_idx ON public.automation_event USING gin (matched_automation_ids);
CREATE INDEX automation_event_object_id_idx ON public.automation_event USING btree (organization_id, object_id) WHERE (object_id IS NOT NULL);
CREATE INDEX automation_event_old_idx ON public.automation_event USING btree (date_created);
alter table automation_event enable row level security, force row level security;
create policy organization on automation_event to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on automation_event to headwater_system using (true);

create table automation_occasion (
  organization_id text not null,
  automation_id text not null,
  object_id text not null,
  occasion text not null,
  date_created timestamp(3) with time zone not null,
  constraint automation_occasion_pkey PRIMARY KEY (organization_id, automation_id, object_id, occasion),
  constraint automation_occasion_organization_id_automation_id_fkey FOREIGN KEY (organization_id, automation_id) REFERENCES automation(organization_id, id) ON DELETE CASCADE,
  constraint automation_occasion_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX automation_occasion_old_idx ON public.automation_occasion USING btree (date_created);
alter table automation_occasion enable row level security, force row level security;
create policy organization on automation_occasion to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on automation_occasion to headwater_system using (true);

create table automation_run (
  organization_id text not null,
  id text not null,
  automation_id text not null,
  version_id text,
  version_number integer,
  generation integer default 2 not null,
  status text not null,
  trigger_type text not null,
  event_id text,
  object_type text,
  object_id text,
  lead_id text,
  contact_id text,
  opportunity_id text,
  input jsonb default '{}'::jsonb not null,
  output jsonb,
  error jsonb,
  is_replay boolean default false not null,
  is_simulation boolean default false not null,
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  wait_until timestamp(3) with time zone,
  duration_ms bigint,
  current_step_id text,
  attempt integer default 1 not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  kind text default 'event'::text not null,
  status_reason text,
  vars jsonb default '{}'::jsonb not null,
  wait jsonb,
  goal_id text,
  exit_id text,
  parent_run_id text,
  causation jsonb,
  is_test boolean default false not null,
  steps_executed bigint default 0 not null,
  started_by jsonb,
  enrol_key text,
  loops jsonb default '[]'::jsonb not null,
  concurrency jsonb,
  bulk_action_id text,
  seen_as_user_id text,
  attempts_before integer default 0 not null,
  kept_automation_name text,
  constraint automation_run_pkey PRIMARY KEY (organization_id, id),
  constraint automation_run_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contact(organization_id, id) DEFERRABLE,
  constraint automation_run_lead_id_fkey FOREIGN KEY (organization_id, lead_id) REFERENCES lead(organization_id, id) DEFERRABLE,
  constraint automation_run_opportunity_id_fkey FOREIGN KEY (organization_id, opportunity_id) REFERENCES opportunity(organization_id, id) DEFERRABLE,
  constraint automation_run_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE UNIQUE INDEX automation_run_alone_key ON public.automation_run USING btree (organization_id, automation_id, ((concurrency ->> 'key'::text))) WHERE (((concurrency ->> 'mode'::text) = 'skip'::text) AND (status = ANY (ARRAY['queued'::text, 'running'::text, 'waiting'::text, 'held'::text])));
CREATE INDEX automation_run_automation_id_idx ON public.automation_run USING btree (organization_id, automation_id, date_created DESC, id DESC) WHERE (automation_id IS NOT NULL);
CREATE INDEX automation_run_contact_id_idx ON public.automation_run USING btree (organization_id, contact_id, date_created DESC, id DESC) WHERE (contact_id IS NOT NULL);
CREATE INDEX automation_run_date_created_idx ON public.automation_run USING btree (organization_id, (
CASE
    WHEN (status = 'failed'::text) THEN 0
    ELSE 1
END), date_created DESC, id DESC);
CREATE UNIQUE INDEX automation_run_enrol_key ON public.automation_run USING btree (organization_id, automation_id, enrol_key) WHERE ((enrol_key IS NOT NULL) AND (status = ANY (ARRAY['queued'::text, 'running'::text, 'waiting'::text, 'held'::text])));
CREATE INDEX automation_run_enrolled_idx ON public.automation_run USING btree (organization_id, automation_id, object_id, date_created);
CREATE INDEX automation_run_event_id_idx ON public.automation_run USING btree (organization_id, event_id) WHERE (event_id IS NOT NULL);
CREATE INDEX automation_run_lead_id_idx ON public.automation_run USING btree (organization_id, lead_id, date_created DESC, id DESC) WHERE (lead_id IS NOT NULL);
CREATE INDEX automation_run_living_idx ON public.automation_run USING btree (organization_id, automation_id, status) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text, 'waiting'::text, 'held'::text]));
CREATE INDEX automation_run_object_id_idx ON public.automation_run USING btree (organization_id, object_id) WHERE (object_id IS NOT NULL);
CREATE INDEX automation_run_opportunity_id_idx ON public.automation_run USING btree (organization_id, opportunity_id, date_created DESC, id DESC) WHERE (opportunity_id IS NOT NULL);
CREATE INDEX automation_run_parked_idx ON public.automation_run USING btree (organization_id, automation_id, date_created, id) WHERE ((concurrency IS NOT NULL) AND (status = 'queued'::text));
CREATE INDEX automation_run_turn_idx ON public.automation_run USING btree (organization_id, automation_id, ((concurrency ->> 'key'::text)), date_created, id) WHERE ((concurrency IS NOT NULL) AND (status = ANY (ARRAY['queued'::text, 'running'::text, 'waiting'::text, 'held'::text])));
CREATE INDEX automation_run_version_id_idx ON public.automation_run USING btree (organization_id, version_id, date_created DESC, id DESC) WHERE (version_id IS NOT NULL);
alter table automation_run enable row level security, force row level security;
create policy organization on automation_run to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on automation_run to headwater_system using (true);

create table automation_secret (
  organization_id text not null,
  id text not null,
  automation_id text not null,
  bound_to text not null,
  sealed_value text not null,
  date_created timestamp(3) with time zone not null,
  constraint automation_secret_pkey PRIMARY KEY (organization_id, id),
  constraint automation_secret_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX automation_secret_automation_idx ON public.automation_secret USING btree (organization_id, automation_id);
alter table automation_secret enable row level security, force row level security;
create policy organization on automation_secret to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on automation_secret to headwater_system using (true);

create table automation_step_run (
  organization_id text not null,
  id text not null,
  run_id text not null,
  step_id text not null,
  type text not null,
  name text,
  status text not null,
  input jsonb,
  output jsonb,
  error jsonb,
  attempt integer default 1 not null,
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  wait_until timestamp(3) with time zone,
  branch text,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  sequence bigint default 0 not null,
  iteration bigint default 0 not null,
  attempts jsonb default '[]'::jsonb not null,
  effect jsonb,
  sealed_request text,
  decision jsonb,
  constraint automation_step_run_pkey PRIMARY KEY (organization_id, id),
  constraint automation_step_run_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint automation_step_run_run_id_fkey FOREIGN KEY (organization_id, run_id) REFERENCES automation_run(organization_id, id) DEFERRABLE
);
CREATE INDEX automation_step_run_assigned_idx ON public.automation_step_run USING btree (organization_id, step_id, id DESC) WHERE ((type = 'owner.assign'::text) AND (status = 'succeeded'::text));
CREATE INDEX automation_step_run_open_idx ON public.automation_step_run USING btree (organization_id, run_id) WHERE (status = ANY (ARRAY['running'::text, 'waiting'::text]));
CREATE INDEX automation_step_run_run_id_idx ON public.automation_step_run USING btree (organization_id, run_id, date_created DESC, id DESC) WHERE (run_id IS NOT NULL);
CREATE INDEX automation_step_run_sequence_idx ON public.automation_step_run USING btree (organization_id, run_id, sequence);
CREATE INDEX automation_step_run_step_idx ON public.automation_step_run USING btree (organization_id, run_id, step_id, sequence);
alter table automation_step_run enable row level security, force row level security;
create policy organization on automation_step_run to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on automation_step_run to headwater_system using (true);

create table automation_version (
  organization_id text not null,
  id text not null,
  automation_id text not null,
  number integer,
  trigger jsonb not null,
  filter jsonb,
  graph jsonb not null,
  settings jsonb not null,
  is_active boolean not null,
  published_at timestamp(3) with time zone,
  published_by text,
  change_note text,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint automation_version_pkey PRIMARY KEY (organization_id, id),
  constraint automation_version_automation_id_fkey FOREIGN KEY (organization_id, automation_id) REFERENCES automation(organization_id, id) DEFERRABLE,
  constraint automation_version_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX automation_version_automation_id_idx ON public.automation_version USING btree (organization_id, automation_id, date_created DESC, id DESC) WHERE (automation_id IS NOT NULL);
CREATE UNIQUE INDEX automation_version_number_key ON public.automation_version USING btree (organization_id, automation_id, number);
alter table automation_version enable row level security, force row level security;
create policy organization on automation_version to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on automation_version to headwater_system using (true);

create table automation_wait (
  organization_id text not null,
  run_id text not null,
  purpose text not null,
  name text not null,
  event text not null,
  match_key text not null,
  match_value text not null,
  match jsonb not null,
  condition jsonb,
  event_id text,
  came_at timestamp(3) with time zone,
  date_created timestamp(3) with time zone not null,
  constraint automation_wait_pkey PRIMARY KEY (organization_id, run_id, purpose, name, event),
  constraint automation_wait_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint automation_wait_organization_id_run_id_fkey FOREIGN KEY (organization_id, run_id) REFERENCES automation_run(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX automation_wait_event_idx ON public.automation_wait USING btree (organization_id, event, match_key, match_value) WHERE (event_id IS NULL);
alter table automation_wait enable row level security, force row level security;
create policy organization on automation_wait to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on automation_wait to headwater_system using (true);

create table backup (
  id text not null,
  name text not null,
  state text not null,
  started_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  bytes bigint,
  error text,
  missing_files integer default 0 not null,
  constraint backup_pkey PRIMARY KEY (id),
  constraint backup_check CHECK (((state = 'running'::text) = (ended_at IS NULL))),
  constraint backup_check1 CHECK (((state = 'failed'::text) = (error IS NOT NULL))),
  constraint backup_state_check CHECK ((state = ANY (ARRAY['running'::text, 'done'::text, 'failed'::text])))
);
CREATE INDEX backup_started ON public.backup USING btree (started_at);

create table budget (
  organization_id text not null,
  id text not null,
  holder_id text not null,
  writes_per_hour integer,
  writes_per_day integer,
  deletes_per_hour integer,
  deletes_per_day integer,
  messages_per_hour integer,
  messages_per_day integer,
  ai_tokens_per_hour integer,
  ai_tokens_per_day integer,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  client_id text,
  client_user_id text,
  constraint budget_holder_id_key UNIQUE (organization_id, holder_id),
  constraint budget_pkey PRIMARY KEY (organization_id, id),
  constraint budget_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
alter table budget enable row level security, force row level security;
create policy organization on budget to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on budget to headwater_system using (true);

create table budget_use (
  organization_id text not null,
  holder_id text not null,
  name text not null,
  begins timestamp(3) with time zone not null,
  used bigint not null,
  constraint budget_use_pkey PRIMARY KEY (organization_id, holder_id, name),
  constraint budget_use_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
alter table budget_use enable row level security, force row level security;
create policy organization on budget_use to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on budget_use to headwater_system using (true);

create table bulk_action (
  organization_id text not null,
  id text not null,
  kind text not null,
  status text default 'created'::text not null,
  s_query jsonb,
  query text,
  object_ids text[],
  sort jsonb default '[]'::jsonb not null,
  results_limit integer,
  n_objects integer,
  n_objects_processed integer default 0 not null,
  n_leads integer,
  n_leads_processed integer default 0 not null,
  n_failed integer default 0 not null,
  errors jsonb default '[]'::jsonb not null,
  send_done_email boolean default true not null,
  date_started timestamp(3) with time zone,
  date_paused timestamp(3) with time zone,
  date_completed timestamp(3) with time zone,
  type text,
  lead_status_id text,
  custom_field_id text,
  custom_field_value jsonb,
  custom_field_operation text,
  owner_id text,
  tag text,
  object_type text,
  fields jsonb,
  bulk_object_type text,
  template_id text,
  contact_preference text,
  sender text,
  email_account_id text,
  subject text,
  action_type text,
  sequence_id text,
  sender_account_id text,
  sender_name text,
  sender_email text,
  calls_assigned_to text[],
  from_phone_number_id text,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  n_succeeded integer default 0 not null,
  n_skipped integer default 0 not null,
  error text,
  undo_action_id text,
  undoes text,
  automation_id text,
  run_kind text,
  input jsonb,
  provider text,
  overwrite boolean,
  run_by text,
  recheck_query boolean default false not null,
  constraint bulk_action_pkey PRIMARY KEY (organization_id, id),
  constraint bulk_action_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint bulk_action_template_id_fkey FOREIGN KEY (organization_id, template_id) REFERENCES email_template(organization_id, id) DEFERRABLE,
  constraint bulk_action_kind_check CHECK ((kind = ANY (ARRAY['edit'::text, 'delete'::text, 'email'::text, 'sequence_subscription'::text, 'enrich'::text, 'automation'::text, 'undo'::text]))),
  constraint bulk_action_provider_check CHECK ((provider = ANY (ARRAY['internal'::text, 'peopledatalabs'::text]))),
  constraint bulk_action_run_kind_check CHECK ((run_kind = ANY (ARRAY['bulk'::text, 'backfill'::text]))),
  constraint bulk_action_status_check CHECK ((status = ANY (ARRAY['created'::text, 'loading'::text, 'processing'::text, 'done'::text, 'paused'::text, 'resuming'::text, 'canceled'::text, 'error'::text])))
);
CREATE INDEX bulk_action_date_created_idx ON public.bulk_action USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX bulk_action_status_idx ON public.bulk_action USING btree (organization_id, status, date_created DESC, id DESC);
CREATE INDEX bulk_action_template_id_idx ON public.bulk_action USING btree (organization_id, template_id, date_created DESC, id DESC) WHERE (template_id IS NOT NULL);
alter table bulk_action enable row level security, force row level security;
create policy organization on bulk_action to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on bulk_action to headwater_system using (true);

create table bulk_action_item (
  organization_id text not null,
  id text not null,
  bulk_action_id text not null,
  ord integer not null,
  object_id text not null,
  lead_id text,
  opens_lead boolean not null,
  status text default 'pending'::text not null,
  error text,
  address text,
  kept jsonb,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint bulk_action_item_pkey PRIMARY KEY (organization_id, id),
  constraint bulk_action_item_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint bulk_action_item_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'skipped'::text, 'failed'::text])))
);
CREATE INDEX bulk_action_item_address_idx ON public.bulk_action_item USING btree (organization_id, bulk_action_id, address) WHERE (address IS NOT NULL);
CREATE INDEX bulk_action_item_date_created_idx ON public.bulk_action_item USING btree (date_created);
CREATE INDEX bulk_action_item_ord_idx ON public.bulk_action_item USING btree (organization_id, bulk_action_id, ord);
CREATE INDEX bulk_action_item_status_idx ON public.bulk_action_item USING btree (organization_id, bulk_action_id, status, ord);
alter table bulk_action_item enable row level security, force row level security;
create policy organization on bulk_action_item to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on bulk_action_item to headwater_system using (true);

create table calendar (
  organization_id text not null,
  account_id text not null,
  calendar_id text not null,
  cursor text,
  page text,
  listing integer default 0 not null,
  listed_at timestamp(3) with time zone,
  listed_from timestamp(3) with time zone,
  listed_to timestamp(3) with time zone,
  events integer default 0 not null,
  read_at timestamp(3) with time zone,
  error text,
  constraint calendar_pkey PRIMARY KEY (organization_id, account_id, calendar_id),
  constraint calendar_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
alter table calendar enable row level security, force row level security;
create policy organization on calendar to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on calendar to headwater_system using (true);

create table calendar_copy (
  organization_id text not null,
  account_id text not null,
  calendar_id text not null,
  event_id text not null,
  uid text not null,
  occurrence text not null,
  series_id text,
  is_exception boolean not null,
  user_id text not null,
  starts_at timestamp(3) with time zone not null,
  ends_at timestamp(3) with time zone not null,
  listing integer not null,
  gone_at timestamp(3) with time zone,
  constraint calendar_copy_pkey PRIMARY KEY (organization_id, account_id, calendar_id, event_id),
  constraint calendar_copy_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX calendar_copy_gone_at_idx ON public.calendar_copy USING btree (organization_id, account_id) WHERE (gone_at IS NOT NULL);
CREATE INDEX calendar_copy_series_id_idx ON public.calendar_copy USING btree (organization_id, account_id, series_id) WHERE (series_id IS NOT NULL);
CREATE INDEX calendar_copy_uid_idx ON public.calendar_copy USING btree (organization_id, uid, occurrence);
alter table calendar_copy enable row level security, force row level security;
create policy organization on calendar_copy to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on calendar_copy to headwater_system using (true);

create table calendar_meeting (
  organization_id text not null,
  uid text not null,
  occurrence text not null,
  activity_id text,
  said text,
  account_id text,
  calendar_id text,
  event_id text,
  is_organizer boolean default false not null,
  constraint calendar_meeting_pkey PRIMARY KEY (organization_id, uid, occurrence),
  constraint calendar_meeting_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX calendar_meeting_activity_id_idx ON public.calendar_meeting USING btree (organization_id, activity_id) WHERE (activity_id IS NOT NULL);
alter table calendar_meeting enable row level security, force row level security;
create policy organization on calendar_meeting to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on calendar_meeting to headwater_system using (true);

create table calendar_round (
  organization_id text not null,
  account_id text not null,
  calendars_at timestamp(3) with time zone,
  began_at timestamp(3) with time zone,
  failures integer default 0 not null,
  failing_since timestamp(3) with time zone,
  constraint calendar_round_pkey PRIMARY KEY (organization_id, account_id),
  constraint calendar_round_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
alter table calendar_round enable row level security, force row level security;
create policy organization on calendar_round to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on calendar_round to headwater_system using (true);

create table call_recording (
  organization_id text not null,
  id text not null,
  call_provider_id text not null,
  account text not null,
  what text not null,
  seconds integer not null,
  is_stored boolean default false not null,
  date_created timestamp(3) with time zone not null,
  constraint call_recording_pkey PRIMARY KEY (organization_id, id),
  constraint call_recording_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
alter table call_recording enable row level security, force row level security;
create policy organization on call_recording to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on call_recording to headwater_system using (true);

create table change_set_request (
  organization_id text not null,
  user_id text not null,
  name text not null,
  request_id text not null,
  date_created timestamp(3) with time zone not null,
  constraint change_set_request_pkey PRIMARY KEY (organization_id, name, user_id, request_id),
  constraint change_set_request_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX change_set_request_date_created_idx ON public.change_set_request USING btree (date_created);
alter table change_set_request enable row level security, force row level security;
create policy organization on change_set_request to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on change_set_request to headwater_system using (true);

create table client_grant (
  id text not null,
  user_id text not null,
  client_id text not null,
  client_name text not null,
  scope text not null,
  active_organization_id text not null,
  payload jsonb,
  date_created timestamp(3) with time zone not null,
  last_used_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone not null,
  revoked_at timestamp(3) with time zone,
  constraint client_grant_pkey PRIMARY KEY (id),
  constraint client_grant_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id)
);
CREATE INDEX client_grant_client_id_idx ON public.client_grant USING btree (client_id);
CREATE INDEX client_grant_expires_at_idx ON public.client_grant USING btree (expires_at);
CREATE INDEX client_grant_user_id_idx ON public.client_grant USING btree (user_id, date_created);
alter table client_grant enable row level security, force row level security;
create policy system on client_grant to headwater_system using (true);

create table comment (
  organization_id text not null,
  id text not null,
  lead_id text,
  thread_id text not null,
  object_id text not null,
  object_type text not null,
  body text,
  mentions text[] default '{}'::text[] not null,
  removed_at timestamp(3) with time zone,
  removed_by text,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint comment_pkey PRIMARY KEY (organization_id, id),
  constraint comment_lead_id_fkey FOREIGN KEY (organization_id, lead_id) REFERENCES lead(organization_id, id) DEFERRABLE,
  constraint comment_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint comment_thread_id_fkey FOREIGN KEY (organization_id, thread_id) REFERENCES comment_thread(organization_id, id) DEFERRABLE
);
CREATE INDEX comment_lead_id_idx ON public.comment USING btree (organization_id, lead_id, date_created DESC, id DESC) WHERE (lead_id IS NOT NULL);
CREATE INDEX comment_object_id_idx ON public.comment USING btree (organization_id, object_id, date_created, id);
CREATE INDEX comment_thread_id_idx ON public.comment USING btree (organization_id, thread_id, date_created DESC, id DESC) WHERE (thread_id IS NOT NULL);
alter table comment enable row level security, force row level security;
create policy organization on comment to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on comment to headwater_system using (true);

create table comment_thread (
  organization_id text not null,
  id text not null,
  lead_id text,
  object_id text not null,
  object_type text not null,
  num_comments integer not null,
  participating text[] default '{}'::text[] not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint comment_thread_pkey PRIMARY KEY (organization_id, id),
  constraint comment_thread_lead_id_fkey FOREIGN KEY (organization_id, lead_id) REFERENCES lead(organization_id, id) DEFERRABLE,
  constraint comment_thread_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX comment_thread_date_created_idx ON public.comment_thread USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX comment_thread_lead_id_idx ON public.comment_thread USING btree (organization_id, lead_id, date_created DESC, id DESC) WHERE (lead_id IS NOT NULL);
CREATE UNIQUE INDEX comment_thread_object_id_key ON public.comment_thread USING btree (organization_id, object_id);
alter table comment_thread enable row level security, force row level security;
create policy organization on comment_thread to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on comment_thread to headwater_system using (true);

create table connected_account (
  organization_id text not null,
  id text not null,
  _type text not null,
  email text,
  user_id text not null,
  identities jsonb default '[]'::jsonb not null,
  imap jsonb,
  smtp jsonb,
  sealed_imap_password text,
  sealed_smtp_password text,
  enabled_features text[] default '{}'::text[] not null,
  send_status text not null,
  receive_status text not null,
  latest_smtp_error text,
  latest_imap_error text,
  synced_calendars jsonb default '[]'::jsonb not null,
  available_calendars jsonb default '[]'::jsonb not null,
  is_default boolean default false not null,
  signature text,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  granted_features text[],
  calendar_status text not null,
  latest_calendar_error text,
  last_synced_at timestamp(3) with time zone,
  daily_cap integer,
  shared_with text[] default '{}'::text[] not null,
  send_failures integer default 0 not null,
  send_again_at timestamp(3) with time zone,
  allowed_identities text[] default '{}'::text[] not null,
  ramp_up_since timestamp(3) with time zone,
  ramp_up boolean default false not null,
  proven_email text,
  constraint connected_account_pkey PRIMARY KEY (organization_id, id),
  constraint connected_account_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint connected_account_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES membership(organization_id, user_id) DEFERRABLE,
  constraint connected_account_daily_cap_check CHECK ((daily_cap > 0))
);
CREATE INDEX connected_account_calendar_status_idx ON public.connected_account USING btree (calendar_status) WHERE (calendar_status <> 'disabled'::text);
CREATE INDEX connected_account_date_created_idx ON public.connected_account USING btree (organization_id, date_created DESC, id DESC);
CREATE UNIQUE INDEX connected_account_email_key ON public.connected_account USING btree (organization_id, user_id, lower(email), (
CASE
    WHEN (_type = ANY (ARRAY['google'::text, 'microsoft'::text, 'custom_email'::text])) THEN 'mail'::text
    ELSE _type
END));
CREATE UNIQUE INDEX connected_account_is_default_key ON public.connected_account USING btree (organization_id, user_id) WHERE is_default;
CREATE INDEX connected_account_proven ON public.connected_account USING btree (organization_id, proven_email) WHERE (proven_email IS NOT NULL);
CREATE INDEX connected_account_receive_status_idx ON public.connected_account USING btree (receive_status) WHERE (receive_status <> 'disabled'::text);
CREATE INDEX connected_account_user_id_idx ON public.connected_account USING btree (organization_id, user_id, date_created DESC, id DESC) WHERE (user_id IS NOT NULL);
alter table connected_account enable row level security, force row level security;
create policy organization on connected_account to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on connected_account to headwater_system using (true);

create table consumer (
  organization_id text not null,
  name text not null,
  cursor_epoch bigint not null,
  cursor_position bigint not null,
  cursor_seq bigint default 0 not null,
  constraint consumer_pkey PRIMARY KEY (organization_id, name),
  constraint consumer_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
alter table consumer enable row level security, force row level security;
create policy organization on consumer to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on consumer to headwater_system using (true);
CREATE TRIGGER place_consumer BEFORE INSERT ON public.consumer FOR EACH ROW WHEN ((new.cursor_position IS NULL)) EXECUTE FUNCTION place_consumer();

create table contact (
  organization_id text not null,
  id text not null,
  lead_id text not null,
  name text,
  display_name text not null,
  title text,
  emails jsonb default '[]'::jsonb not null,
  phones jsonb default '[]'::jsonb not null,
  urls jsonb default '[]'::jsonb not null,
  tags text[] default '{}'::text[] not null,
  timezone text,
  timezone_source text,
  custom jsonb default '{}'::jsonb not null,
  share_id text,
  shared_at timestamp(3) with time zone,
  enrichment_status text,
  enriched_at timestamp(3) with time zone,
  external_profiles jsonb default '[]'::jsonb not null,
  email_keys text[] default '{}'::text[] not null,
  phone_keys text[] default '{}'::text[] not null,
  search tsvector,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  rendered text,
  do_not_call boolean default false not null,
  constraint contact_pkey PRIMARY KEY (organization_id, id),
  constraint contact_lead_id_fkey FOREIGN KEY (organization_id, lead_id) REFERENCES lead(organization_id, id) DEFERRABLE
);
CREATE INDEX contact_date_created_idx ON public.contact USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX contact_date_updated_idx ON public.contact USING btree (organization_id, date_updated DESC, id DESC);
CREATE INDEX contact_external_profiles_idx ON public.contact USING gin (organization_id, external_profiles jsonb_path_ops) WHERE (external_profiles <> '[]'::jsonb);
CREATE INDEX contact_lead_id_idx ON public.contact USING btree (organization_id, lead_id, date_created DESC, id DESC) WHERE (lead_id IS NOT NULL);
CREATE INDEX contact_search_idx ON public.contact USING gin (search) WITH (fastupdate=off);
CREATE UNIQUE INDEX contact_share_id_key ON public.contact USING btree (share_id, organization_id) WHERE (share_id IS NOT NULL);
CREATE INDEX contact_values_idx ON public.contact USING gin (organization_id, custom jsonb_path_ops, tags, email_keys, phone_keys);
alter table contact enable row level security, force row level security;
create policy organization on contact to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on contact to headwater_system using (true);
CREATE TRIGGER forget_rendering BEFORE UPDATE ON public.contact FOR EACH ROW EXECUTE FUNCTION forget_rendering();

create table contact_list (
  organization_id text not null,
  id text not null,
  name text not null,
  source text default 'internal'::text not null,
  description text,
  is_read_only boolean default false not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint contact_list_pkey PRIMARY KEY (organization_id, id),
  constraint contact_list_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE UNIQUE INDEX contact_list_name_key ON public.contact_list USING btree (organization_id, lower(name));
CREATE INDEX contact_list_sort_idx ON public.contact_list USING btree (organization_id, sort_key(name), id);
alter table contact_list enable row level security, force row level security;
create policy organization on contact_list to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on contact_list to headwater_system using (true);

create table contact_list_member (
  organization_id text not null,
  id text not null,
  list_id text not null,
  contact_id text not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint contact_list_member_pkey PRIMARY KEY (organization_id, id),
  constraint contact_list_member_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contact(organization_id, id) DEFERRABLE,
  constraint contact_list_member_list_id_fkey FOREIGN KEY (organization_id, list_id) REFERENCES contact_list(organization_id, id) DEFERRABLE,
  constraint contact_list_member_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX contact_list_member_contact_id_idx ON public.contact_list_member USING btree (organization_id, contact_id, date_created DESC, id DESC) WHERE (contact_id IS NOT NULL);
CREATE UNIQUE INDEX contact_list_member_contact_id_key ON public.contact_list_member USING btree (organization_id, list_id, contact_id);
CREATE INDEX contact_list_member_list_id_idx ON public.contact_list_member USING btree (organization_id, list_id, date_created DESC, id DESC) WHERE (list_id IS NOT NULL);
alter table contact_list_member enable row level security, force row level security;
create policy organization on contact_list_member to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on contact_list_member to headwater_system using (true);

create table contact_tag (
  organization_id text not null,
  id text not null,
  name text not null,
  color text,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint contact_tag_pkey PRIMARY KEY (organization_id, id),
  constraint contact_tag_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE UNIQUE INDEX contact_tag_name_key ON public.contact_tag USING btree (organization_id, lower(name));
CREATE INDEX contact_tag_sort_idx ON public.contact_tag USING btree (organization_id, sort_key(name), id);
alter table contact_tag enable row level security, force row level security;
create policy organization on contact_tag to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on contact_tag to headwater_system using (true);

create table conversation (
  organization_id text not null,
  id text not null,
  lead_id text not null,
  contact_id text,
  subject text,
  channel text default 'email'::text not null,
  status text default 'open'::text not null,
  assigned_to text,
  snoozed_until timestamp(3) with time zone,
  folder_id text not null,
  is_read boolean default true not null,
  priority text,
  tags text[] default '{}'::text[] not null,
  people jsonb default '[]'::jsonb not null,
  message_count integer default 0 not null,
  unread_count integer default 0 not null,
  last_message_at timestamp(3) with time zone,
  last_message_preview text,
  last_message_direction text,
  deleted_at timestamp(3) with time zone,
  deleted_by text,
  summary text,
  search tsvector,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint conversation_pkey PRIMARY KEY (organization_id, id),
  constraint conversation_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contact(organization_id, id) DEFERRABLE,
  constraint conversation_folder_id_fkey FOREIGN KEY (organization_id, folder_id) REFERENCES inbox_folder(organization_id, id) DEFERRABLE,
  constraint conversation_lead_id_fkey FOREIGN KEY (organization_id, lead_id) REFERENCES lead(organization_id, id) DEFERRABLE,
  constraint conversation_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX conversation_assigned_to_idx ON public.conversation USING btree (organization_id, assigned_to, last_message_at DESC NULLS LAST, id DESC) WHERE (assigned_to IS NOT NULL);
CREATE INDEX conversation_contact_id_idx ON public.conversation USING btree (organization_id, contact_id, date_created DESC, id DESC) WHERE (contact_id IS NOT NULL);
CREATE INDEX conversation_date_created_idx ON public.conversation USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX conversation_folder_id_idx ON public.conversation USING btree (organization_id, folder_id, date_created DESC, id DESC) WHERE (folder_id IS NOT NULL);
CREATE INDEX conversation_last_message_at_idx ON public.conversation USING btree (organization_id, last_message_at DESC NULLS LAST, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX conversation_lead_id_idx ON public.conversation USING btree (organization_id, lead_id, date_created DESC, id DESC) WHERE (lead_id IS NOT NULL);
CREATE INDEX conversation_people_idx ON public.conversation USING gin (organization_id, people jsonb_path_ops);
CREATE INDEX conversation_search_idx ON public.conversation USING gin (search);
CREATE INDEX conversation_snoozed_until_idx ON public.conversation USING btree (snoozed_until) WHERE (status = 'snoozed'::text);
alter table conversation enable row level security, force row level security;
create policy organization on conversation to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on conversation to headwater_system using (true);

create table counter (
  organization_id text not null,
  series text not null,
  last bigint not null,
  constraint counter_pkey PRIMARY KEY (organization_id, series),
  constraint counter_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
alter table counter enable row level security, force row level security;
create policy organization on counter to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on counter to headwater_system using (true);

create table credential (
  organization_id text not null,
  id text not null,
  service text not null,
  shown_values jsonb default '{}'::jsonb not null,
  sealed_values text not null,
  last_verified_at timestamp(3) with time zone,
  last_error text,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  webhook_token text not null,
  constraint credential_pkey PRIMARY KEY (organization_id, id),
  constraint credential_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE UNIQUE INDEX credential_service_key ON public.credential USING btree (organization_id, service);
CREATE UNIQUE INDEX credential_webhook_token_key ON public.credential USING btree (webhook_token, organization_id);
alter table credential enable row level security, force row level security;
create policy organization on credential to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on credential to headwater_system using (true);

create table custom_activity_type (
  organization_id text not null,
  id text not null,
  name text not null,
  description text,
  api_create_only boolean default false not null,
  editable_with_roles text[] default '{}'::text[] not null,
  is_archived boolean default false not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  is_deleted boolean default false not null,
  constraint custom_activity_type_pkey PRIMARY KEY (organization_id, id),
  constraint custom_activity_type_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE UNIQUE INDEX custom_activity_type_name_key ON public.custom_activity_type USING btree (organization_id, lower(name));
alter table custom_activity_type enable row level security, force row level security;
create policy organization on custom_activity_type to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on custom_activity_type to headwater_system using (true);

create table custom_data_change (
  organization_id text not null,
  id text not null,
  field_id text,
  type_id text,
  places jsonb default '[]'::jsonb not null,
  staying jsonb default '[]'::jsonb not null,
  becomes jsonb,
  drops boolean default false not null,
  reached_table text default ''::text not null,
  reached_id text default ''::text not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  removed boolean default false not null,
  constraint custom_data_change_pkey PRIMARY KEY (organization_id, id),
  constraint custom_data_change_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
alter table custom_data_change enable row level security, force row level security;
create policy organization on custom_data_change to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on custom_data_change to headwater_system using (true);

create table custom_field (
  organization_id text not null,
  id text not null,
  object_type text not null,
  name text not null,
  type text not null,
  description text,
  choices jsonb,
  accepts_multiple_values boolean default false not null,
  editable_with_roles text[] default '{}'::text[] not null,
  required boolean default false not null,
  custom_activity_type_id text,
  custom_object_type_id text,
  referenced_custom_type_id text,
  back_reference_is_visible boolean default false not null,
  associations jsonb default '[]'::jsonb not null,
  "position" integer not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  converting_to_type text,
  constraint custom_field_pkey PRIMARY KEY (organization_id, id),
  constraint custom_field_custom_activity_type_id_fkey FOREIGN KEY (organization_id, custom_activity_type_id) REFERENCES custom_activity_type(organization_id, id) DEFERRABLE,
  constraint custom_field_custom_object_type_id_fkey FOREIGN KEY (organization_id, custom_object_type_id) REFERENCES custom_object_type(organization_id, id) DEFERRABLE,
  constraint custom_field_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint custom_field_referenced_custom_type_id_fkey FOREIGN KEY (organization_id, referenced_custom_type_id) REFERENCES custom_object_type(organization_id, id) DEFERRABLE
);
CREATE INDEX custom_field_custom_activity_type_id_idx ON public.custom_field USING btree (organization_id, custom_activity_type_id, date_created DESC, id DESC) WHERE (custom_activity_type_id IS NOT NULL);
CREATE INDEX custom_field_custom_object_type_id_idx ON public.custom_field USING btree (organization_id, custom_object_type_id, date_created DESC, id DESC) WHERE (custom_object_type_id IS NOT NULL);
CREATE UNIQUE INDEX custom_field_name_key ON public.custom_field USING btree (organization_id, object_type, COALESCE(custom_activity_type_id, custom_object_type_id, ''::text), lower(name));
CREATE INDEX custom_field_position_idx ON public.custom_field USING btree (organization_id, object_type, "position", id);
CREATE INDEX custom_field_referenced_custom_type_id_idx ON public.custom_field USING btree (organization_id, referenced_custom_type_id, date_created DESC, id DESC) WHERE (referenced_custom_type_id IS NOT NULL);
alter table custom_field enable row level security, force row level security;
create policy organization on custom_field to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on custom_field to headwater_system using (true);

create table custom_object (
  organization_id text not null,
  id text not null,
  custom_object_type_id text not null,
  lead_id text not null,
  name text not null,
  custom jsonb default '{}'::jsonb not null,
  search tsvector,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  rendered text,
  constraint custom_object_pkey PRIMARY KEY (organization_id, id),
  constraint custom_object_custom_object_type_id_fkey FOREIGN KEY (organization_id, custom_object_type_id) REFERENCES custom_object_type(organization_id, id) DEFERRABLE,
  constraint custom_object_lead_id_fkey FOREIGN KEY (organization_id, lead_id) REFERENCES lead(organization_id, id) DEFERRABLE,
  constraint custom_object_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX custom_object_custom_idx ON public.custom_object USING gin (organization_id, custom jsonb_path_ops);
CREATE INDEX custom_object_custom_object_type_id_idx ON public.custom_object USING btree (organization_id, custom_object_type_id, date_created DESC, id DESC) WHERE (custom_object_type_id IS NOT NULL);
CREATE INDEX custom_object_date_created_idx ON public.custom_object USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX custom_object_date_updated_idx ON public.custom_object USING btree (organization_id, date_updated DESC, id DESC);
CREATE INDEX custom_object_lead_id_idx ON public.custom_object USING btree (organization_id, lead_id, date_created DESC, id DESC) WHERE (lead_id IS NOT NULL);
CREATE INDEX custom_object_search_idx ON public.custom_object USING gin (search);
alter table custom_object enable row level security, force row level security;
create policy organization on custom_object to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on custom_object to headwater_system using (true);
CREATE TRIGGER forget_rendering BEFORE UPDATE ON public.custom_object FOR EACH ROW EXECUTE FUNCTION forget_rendering();

create table custom_object_type (
  organization_id text not null,
  id text not null,
  name text not null,
  name_plural text not null,
  description text,
  api_create_only boolean default false not null,
  editable_with_roles text[] default '{}'::text[] not null,
  is_archived boolean default false not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  is_deleted boolean default false not null,
  constraint custom_object_type_pkey PRIMARY KEY (organization_id, id),
  constraint custom_object_type_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE UNIQUE INDEX custom_object_type_name_key ON public.custom_object_type USING btree (organization_id, lower(name));
alter table custom_object_type enable row level security, force row level security;
create policy organization on custom_object_type to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on custom_object_type to headwater_system using (true);

create table dialer (
  organization_id text not null,
  id text not null,
  name text,
  type text not null,
  status text not null,
  source_type text not null,
  source_value text,
  query jsonb,
  lead_list_id text,
  contact_list_id text,
  user_id text not null,
  user_ids text[] default '{}'::text[] not null,
  caller_id text,
  is_user_dependent boolean default false not null,
  ring_mode text,
  music_preference text,
  "position" integer default 0 not null,
  n_leads integer default 0 not null,
  n_called integer default 0 not null,
  n_skipped integer default 0 not null,
  current_lead_id text,
  last_lead_id text,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  skip_rules jsonb default '{"exclude_dnc": true, "local_hours": "08:00-21:00", "max_attempts": null, "min_hours_between": null, "exclude_called_today": false}'::jsonb not null,
  pacing double precision default 1.5 not null,
  effective_type text default 'power'::text not null,
  status_details text,
  sequence_id text,
  caller_id_mode text default 'fixed'::text not null,
  voicemail_drop_file_id text,
  constraint dialer_pkey PRIMARY KEY (organization_id, id),
  constraint dialer_caller_id_fkey FOREIGN KEY (organization_id, caller_id) REFERENCES phone_number(organization_id, id) DEFERRABLE,
  constraint dialer_contact_list_id_fkey FOREIGN KEY (organization_id, contact_list_id) REFERENCES contact_list(organization_id, id) DEFERRABLE,
  constraint dialer_lead_list_id_fkey FOREIGN KEY (organization_id, lead_list_id) REFERENCES lead_list(organization_id, id) DEFERRABLE,
  constraint dialer_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint dialer_sequence_id_fkey FOREIGN KEY (organization_id, sequence_id) REFERENCES sequence(organization_id, id) DEFERRABLE,
  constraint dialer_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES membership(organization_id, user_id) DEFERRABLE,
  constraint dialer_voicemail_drop_file_id_fkey FOREIGN KEY (organization_id, voicemail_drop_file_id) REFERENCES file(organization_id, id) DEFERRABLE
);
CREATE INDEX dialer_caller_id_idx ON public.dialer USING btree (organization_id, caller_id, date_created DESC, id DESC) WHERE (caller_id IS NOT NULL);
CREATE INDEX dialer_contact_list_id_idx ON public.dialer USING btree (organization_id, contact_list_id, date_created DESC, id DESC) WHERE (contact_list_id IS NOT NULL);
CREATE INDEX dialer_date_created_idx ON public.dialer USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX dialer_lead_list_id_idx ON public.dialer USING btree (organization_id, lead_list_id, date_created DESC, id DESC) WHERE (lead_list_id IS NOT NULL);
CREATE INDEX dialer_sequence_id_idx ON public.dialer USING btree (organization_id, sequence_id, date_created DESC, id DESC) WHERE (sequence_id IS NOT NULL);
CREATE INDEX dialer_user_id_idx ON public.dialer USING btree (organization_id, user_id, date_created DESC, id DESC) WHERE (user_id IS NOT NULL);
CREATE INDEX dialer_voicemail_drop_file_id_idx ON public.dialer USING btree (organization_id, voicemail_drop_file_id, date_created DESC, id DESC) WHERE (voicemail_drop_file_id IS NOT NULL);
alter table dialer enable row level security, force row level security;
create policy organization on dialer to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on dialer to headwater_system using (true);

create table dialer_agent (
  organization_id text not null,
  dialer_id text not null,
  user_id text not null,
  ready_at timestamp(3) with time zone not null,
  date_created timestamp(3) with time zone not null,
  constraint dialer_agent_pkey PRIMARY KEY (organization_id, dialer_id, user_id),
  constraint dialer_agent_dialer_id_fkey FOREIGN KEY (organization_id, dialer_id) REFERENCES dialer(organization_id, id) ON DELETE CASCADE,
  constraint dialer_agent_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
alter table dialer_agent enable row level security, force row level security;
create policy organization on dialer_agent to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on dialer_agent to headwater_system using (true);

create table dialer_lead (
  organization_id text not null,
  dialer_id text not null,
  "position" integer not null,
  lead_id text not null,
  contact_ids text[],
  user_id text,
  outcome text,
  state text default 'pending'::text not null,
  wait_until timestamp(3) with time zone,
  lease_until timestamp(3) with time zone,
  taken_at timestamp(3) with time zone,
  contact_id text,
  phone jsonb,
  call_id text,
  task_id text,
  constraint dialer_lead_pkey PRIMARY KEY (organization_id, dialer_id, "position"),
  constraint dialer_lead_dialer_id_fkey FOREIGN KEY (organization_id, dialer_id) REFERENCES dialer(organization_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  constraint dialer_lead_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint dialer_lead_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'leased'::text, 'dialing'::text, 'called'::text, 'skipped'::text])))
);
CREATE INDEX dialer_lead_call_id_idx ON public.dialer_lead USING btree (organization_id, call_id) WHERE (call_id IS NOT NULL);
CREATE INDEX dialer_lead_open_idx ON public.dialer_lead USING btree (organization_id, dialer_id, "position") WHERE (state = ANY (ARRAY['pending'::text, 'leased'::text, 'dialing'::text]));
CREATE INDEX dialer_lead_taken_idx ON public.dialer_lead USING btree (organization_id, dialer_id, user_id, taken_at) WHERE (taken_at IS NOT NULL);
CREATE UNIQUE INDEX dialer_lead_task_id_idx ON public.dialer_lead USING btree (organization_id, task_id, dialer_id) WHERE (task_id IS NOT NULL);
CREATE INDEX dialer_lead_waiting_idx ON public.dialer_lead USING btree (organization_id, dialer_id, lead_id) WHERE (state = 'pending'::text);
alter table dialer_lead enable row level security, force row level security;
create policy organization on dialer_lead to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on dialer_lead to headwater_system using (true);

create table email_template (
  organization_id text not null,
  id text not null,
  name text not null,
  subject text default ''::text not null,
  body text default ''::text not null,
  is_shared boolean default false not null,
  is_archived boolean default false not null,
  attachments jsonb default '[]'::jsonb not null,
  unsubscribe_link_location text,
  user_id text not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint email_template_pkey PRIMARY KEY (organization_id, id),
  constraint email_template_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint email_template_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES membership(organization_id, user_id) DEFERRABLE
);
CREATE INDEX email_template_date_created_idx ON public.email_template USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX email_template_user_id_idx ON public.email_template USING btree (organization_id, user_id, date_created DESC, id DESC) WHERE (user_id IS NOT NULL);
alter table email_template enable row level security, force row level security;
create policy organization on email_template to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on email_template to headwater_system using (true);

create table enrichment (
  organization_id text not null,
  id text not null,
  object_type text not null,
  object_id text not null,
  lead_id text not null,
  contact_id text,
  provider text not null,
  status text default 'queued'::text not null,
  requested_fields text[],
  overwrite boolean default false not null,
  result jsonb,
  fields_updated text[] default '{}'::text[] not null,
  children_ids text[] default '{}'::text[] not null,
  credits_used integer default 0 not null,
  error text,
  started_at timestamp(3) with time zone,
  completed_at timestamp(3) with time zone,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  applied jsonb default '[]'::jsonb not null,
  skipped jsonb default '[]'::jsonb not null,
  credit_day date,
  attempts integer default 0 not null,
  origin jsonb default '{}'::jsonb not null,
  providers jsonb default '[]'::jsonb not null,
  constraint enrichment_pkey PRIMARY KEY (organization_id, id),
  constraint enrichment_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contact(organization_id, id) DEFERRABLE,
  constraint enrichment_lead_id_fkey FOREIGN KEY (organization_id, lead_id) REFERENCES lead(organization_id, id) DEFERRABLE,
  constraint enrichment_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint enrichment_object_type_check CHECK ((object_type = ANY (ARRAY['lead'::text, 'contact'::text]))),
  constraint enrichment_provider_check CHECK ((provider = ANY (ARRAY['internal'::text, 'peopledatalabs'::text]))),
  constraint enrichment_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'no_match'::text, 'failed'::text])))
);
CREATE INDEX enrichment_contact_id_idx ON public.enrichment USING btree (organization_id, contact_id, date_created DESC, id DESC) WHERE (contact_id IS NOT NULL);
CREATE INDEX enrichment_date_created_idx ON public.enrichment USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX enrichment_lead_id_idx ON public.enrichment USING btree (organization_id, lead_id, date_created DESC, id DESC) WHERE (lead_id IS NOT NULL);
CREATE INDEX enrichment_object_id_idx ON public.enrichment USING btree (organization_id, object_id, date_created DESC, id DESC);
CREATE UNIQUE INDEX enrichment_object_id_key ON public.enrichment USING btree (organization_id, object_id) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE INDEX enrichment_waiting_idx ON public.enrichment USING btree (date_updated) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));
alter table enrichment enable row level security, force row level security;
create policy organization on enrichment to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on enrichment to headwater_system using (true);

create table enrichment_answer (
  organization_id text not null,
  key text not null,
  answer jsonb,
  date_created timestamp(3) with time zone not null,
  constraint enrichment_answer_pkey PRIMARY KEY (organization_id, key),
  constraint enrichment_answer_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX enrichment_answer_date_created_idx ON public.enrichment_answer USING btree (date_created);
alter table enrichment_answer enable row level security, force row level security;
create policy organization on enrichment_answer to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on enrichment_answer to headwater_system using (true);

create table enrichment_day (
  organization_id text not null,
  day date not null,
  credits integer not null,
  date_created timestamp(3) with time zone not null,
  constraint enrichment_day_pkey PRIMARY KEY (organization_id, day),
  constraint enrichment_day_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX enrichment_day_date_created_idx ON public.enrichment_day USING btree (date_created);
alter table enrichment_day enable row level security, force row level security;
create policy organization on enrichment_day to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on enrichment_day to headwater_system using (true);

create table erasure (
  organization_id text not null,
  id text not null,
  contact_id text not null,
  lead_id text not null,
  keep_files boolean not null,
  status text not null,
  receipt jsonb,
  date_started timestamp(3) with time zone,
  date_completed timestamp(3) with time zone,
  person jsonb,
  place jsonb,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint erasure_pkey PRIMARY KEY (organization_id, id),
  constraint erasure_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint erasure_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text])))
);
CREATE INDEX erasure_contact_idx ON public.erasure USING btree (organization_id, contact_id);
CREATE INDEX erasure_date_created_idx ON public.erasure USING btree (organization_id, date_created DESC, id DESC);
alter table erasure enable row level security, force row level security;
create policy organization on erasure to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on erasure to headwater_system using (true);

create table event (
  organization_id text not null,
  id text not null,
  object_type text not null,
  action text not null,
  event text not null,
  object_id text not null,
  lead_id text,
  user_id text,
  api_key_id text,
  oauth_client_id text,
  oauth_scope text,
  request_id text,
  changed_fields text[] default '{}'::text[] not null,
  previous_data json default '{}'::json not null,
  data json default '{}'::json not null,
  meta json default '{}'::json not null,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  epoch bigint default 1 not null,
  "position" bigint not null,
  seq bigint generated always as identity not null,
  xid xid8 not null,
  constraint event_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX event_date_created_idx ON ONLY public.event USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX event_event_idx ON ONLY public.event USING btree (organization_id, event, date_created DESC, id DESC);
CREATE INDEX event_lead_id_idx ON ONLY public.event USING btree (organization_id, lead_id, id DESC) WHERE (lead_id IS NOT NULL);
CREATE INDEX event_object_id_idx ON ONLY public.event USING btree (organization_id, object_id, id DESC);
CREATE INDEX event_position_idx ON ONLY public.event USING btree (organization_id, epoch, "position", seq);
alter table event enable row level security, force row level security;
create policy organization on event to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on event to headwater_system using (true);
CREATE TRIGGER place_event BEFORE INSERT ON public.event FOR EACH ROW WHEN ((new."position" IS NULL)) EXECUTE FUNCTION place_event();

create table event_epoch (
  epoch bigint not null,
  server text not null
);

create table export (
  organization_id text not null,
  id text not null,
  object_type text not null,
  format text default 'csv'::text not null,
  type text not null,
  s_query jsonb,
  query text,
  results_limit integer,
  sort jsonb default '[]'::jsonb not null,
  params jsonb default '{}'::jsonb not null,
  fields text[],
  date_format text default 'original'::text not null,
  include_activities boolean default false not null,
  include_smart_fields boolean default false not null,
  include_addresses boolean default false not null,
  include_custom_objects boolean default false not null,
  send_done_email boolean default true not null,
  status text default 'created'::text not null,
  n_docs integer,
  n_docs_processed integer default 0 not null,
  storage_key text,
  date_started timestamp(3) with time zone,
  date_completed timestamp(3) with time zone,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  size bigint,
  checksum_sha256 text,
  expires_at timestamp(3) with time zone,
  error text,
  timezone text,
  dialect jsonb default '{}'::jsonb not null,
  compression text default 'none'::text not null,
  saw_all_leads boolean default false not null,
  constraint export_pkey PRIMARY KEY (organization_id, id),
  constraint export_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint export_compression_check CHECK ((compression = ANY (ARRAY['none'::text, 'gzip'::text]))),
  constraint export_format_check CHECK ((format = ANY (ARRAY['csv'::text, 'json'::text, 'jsonl'::text, 'xlsx'::text]))),
  constraint export_object_type_check CHECK ((object_type = ANY (ARRAY['lead'::text, 'opportunity'::text]))),
  constraint export_status_check CHECK ((status = ANY (ARRAY['created'::text, 'started'::text, 'in_progress'::text, 'done'::text, 'error'::text])))
);
CREATE INDEX export_date_created_idx ON public.export USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX export_expires_at_idx ON public.export USING btree (expires_at) WHERE (storage_key IS NOT NULL);
alter table export enable row level security, force row level security;
create policy organization on export to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on export to headwater_system using (true);
CREATE TRIGGER forget_export_bytes AFTER UPDATE OF storage_key ON public.export FOR EACH ROW WHEN (((old.storage_key IS NOT NULL) AND (new.storage_key IS DISTINCT FROM old.storage_key))) EXECUTE FUNCTION remove_export_bytes();
CREATE TRIGGER remove_export_bytes AFTER DELETE ON public.export FOR EACH ROW WHEN ((old.storage_key IS NOT NULL)) EXECUTE FUNCTION remove_export_bytes();

create table file (
  organization_id text not null,
  id text not null,
  lead_id text,
  contact_id text,
  opportunity_id text,
  name text not null,
  mime text not null,
  size bigint not null,
  type text not null,
  subtype text,
  outreach_channel text,
  is_system boolean default false not null,
  sha256 text not null,
  width integer,
  height integer,
  storage_key text not null,
  share_hash text,
  share_token text,
  search tsvector,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  share_expires_at timestamp(3) with time zone,
  private_to text,
  constraint file_pkey PRIMARY KEY (organization_id, id),
  constraint file_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contact(organization_id, id) DEFERRABLE,
  constraint file_lead_id_fkey FOREIGN KEY (organization_id, lead_id) REFERENCES lead(organization_id, id) DEFERRABLE,
  constraint file_opportunity_id_fkey FOREIGN KEY (organization_id, opportunity_id) REFERENCES opportunity(organization_id, id) DEFERRABLE,
  constraint file_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX file_contact_id_idx ON public.file USING btree (organization_id, contact_id, date_created DESC, id DESC) WHERE (contact_id IS NOT NULL);
CREATE INDEX file_date_created_idx ON public.file USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX file_lead_id_idx ON public.file USING btree (organization_id, lead_id, date_created DESC, id DESC) WHERE (lead_id IS NOT NULL);
CREATE INDEX file_opportunity_id_idx ON public.file USING btree (organization_id, opportunity_id, date_created DESC, id DESC) WHERE (opportunity_id IS NOT NULL);
CREATE UNIQUE INDEX file_outreach_channel_key ON public.file USING btree (organization_id, COALESCE(contact_id, opportunity_id, lead_id, ''::text), outreach_channel, COALESCE(subtype, ''::text)) WHERE (outreach_channel IS NOT NULL);
CREATE INDEX file_search_idx ON public.file USING gin (search);
CREATE INDEX file_share_expires_at_idx ON public.file USING btree (share_expires_at) WHERE ((share_hash IS NOT NULL) AND (share_expires_at IS NOT NULL));
CREATE UNIQUE INDEX file_share_hash_key ON public.file USING btree (share_hash, organization_id);
CREATE UNIQUE INDEX file_storage_key_key ON public.file USING btree (storage_key, organization_id);
CREATE INDEX file_subtype_idx ON public.file USING btree (organization_id, subtype) WHERE (subtype IS NOT NULL);
alter table file enable row level security, force row level security;
create policy organization on file to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on file to headwater_system using (true);
CREATE TRIGGER keep_stored_bytes AFTER INSERT ON public.file FOR EACH ROW EXECUTE FUNCTION keep_stored_bytes();
CREATE TRIGGER leave_outreach_slot BEFORE UPDATE OF lead_id, contact_id, opportunity_id ON public.file FOR EACH ROW WHEN (((new.outreach_channel IS NOT NULL) AND (((old.lead_id IS DISTINCT FROM new.lead_id) OR (old.contact_id IS DISTINCT FROM new.contact_id)) OR (old.opportunity_id IS DISTINCT FROM new.opportunity_id)))) EXECUTE FUNCTION leave_outreach_slot();
CREATE TRIGGER remove_stored_bytes AFTER DELETE ON public.file FOR EACH ROW EXECUTE FUNCTION remove_bytes_of_file();

create table file_subtype (
  organization_id text not null,
  id text not null,
  key text not null,
  label text not null,
  type text,
  description text,
  is_system boolean default false not null,
  "position" integer default 0 not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint file_subtype_pkey PRIMARY KEY (organization_id, id),
  constraint file_subtype_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX file_subtype_date_created_idx ON public.file_subtype USING btree (organization_id, date_created DESC, id DESC);
CREATE UNIQUE INDEX file_subtype_key_key ON public.file_subtype USING btree (organization_id, key);
alter table file_subtype enable row level security, force row level security;
create policy organization on file_subtype to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on file_subtype to headwater_system using (true);

create table goal (
  organization_id text not null,
  id text not null,
  period text not null,
  user_id text,
  target bigint not null,
  targets jsonb,
  currency text not null,
  period_start date not null,
  period_end date not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint goal_pkey PRIMARY KEY (organization_id, id),
  constraint goal_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint goal_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES membership(organization_id, user_id) DEFERRABLE
);
CREATE INDEX goal_date_created_idx ON public.goal USING btree (organization_id, date_created DESC, id DESC);
CREATE UNIQUE INDEX goal_period_key ON public.goal USING btree (organization_id, period, COALESCE(user_id, ''::text));
CREATE INDEX goal_user_id_idx ON public.goal USING btree (organization_id, user_id, date_created DESC, id DESC) WHERE (user_id IS NOT NULL);
alter table goal enable row level security, force row level security;
create policy organization on goal to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on goal to headwater_system using (true);

create table "group" (
  organization_id text not null,
  id text not null,
  name text not null,
  user_ids text[] default '{}'::text[] not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone default now() not null,
  date_updated timestamp(3) with time zone default now() not null,
  version integer default 1 not null,
  constraint group_pkey PRIMARY KEY (organization_id, id),
  constraint group_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE UNIQUE INDEX group_name_key ON public."group" USING btree (organization_id, lower(name));
alter table "group" enable row level security, force row level security;
create policy organization on "group" to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on "group" to headwater_system using (true);

create table idempotency_key (
  organization_id text not null,
  holder text not null,
  method text not null,
  path text not null,
  key text not null,
  fingerprint text not null,
  status integer not null,
  headers json not null,
  body text not null,
  date_created timestamp(3) with time zone not null,
  constraint idempotency_key_pkey PRIMARY KEY (organization_id, holder, method, path, key),
  constraint idempotency_key_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX idempotency_key_date_created_idx ON public.idempotency_key USING btree (date_created);
alter table idempotency_key enable row level security, force row level security;
create policy organization on idempotency_key to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on idempotency_key to headwater_system using (true);

create table import (
  organization_id text not null,
  id text not null,
  name text not null,
  object_type text not null,
  status text default 'draft'::text not null,
  columns jsonb not null,
  mapping jsonb,
  options jsonb default '{}'::jsonb not null,
  n_rows integer not null,
  n_processed integer default 0 not null,
  n_created integer default 0 not null,
  n_updated integer default 0 not null,
  n_skipped integer default 0 not null,
  n_failed integer default 0 not null,
  errors jsonb default '[]'::jsonb not null,
  date_started timestamp(3) with time zone,
  date_completed timestamp(3) with time zone,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  error text,
  reverted jsonb,
  reverted_by text,
  preview jsonb,
  dialect jsonb,
  trial jsonb,
  clears_at timestamp(3) with time zone,
  run_by text,
  mapped_values jsonb default '[]'::jsonb not null,
  constraint import_pkey PRIMARY KEY (organization_id, id),
  constraint import_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint import_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'queued'::text, 'processing'::text, 'paused'::text, 'done'::text, 'canceled'::text, 'error'::text, 'reverting'::text, 'reverted'::text])))
);
CREATE INDEX import_clears_at_idx ON public.import USING btree (clears_at) WHERE (clears_at IS NOT NULL);
CREATE INDEX import_date_created_idx ON public.import USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX import_status_idx ON public.import USING btree (organization_id, status, date_created DESC, id DESC);
alter table import enable row level security, force row level security;
create policy organization on import to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on import to headwater_system using (true);

create table import_row (
  organization_id text not null,
  import_id text not null,
  n integer not null,
  cells jsonb not null,
  status text default 'pending'::text not null,
  object_ids text[] default '{}'::text[] not null,
  errors jsonb default '[]'::jsonb not null,
  key text,
  kept jsonb,
  seeks bigint[],
  says bigint[],
  constraint import_row_pkey PRIMARY KEY (organization_id, import_id, n),
  constraint import_row_import_id_fkey FOREIGN KEY (organization_id, import_id) REFERENCES import(organization_id, id) DEFERRABLE,
  constraint import_row_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint import_row_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'created'::text, 'updated'::text, 'skipped'::text, 'failed'::text])))
);
CREATE INDEX import_row_kept_idx ON public.import_row USING btree (organization_id, import_id, n) WHERE (kept IS NOT NULL);
CREATE INDEX import_row_key_idx ON public.import_row USING btree (organization_id, import_id, key, n) WHERE (key IS NOT NULL);
CREATE INDEX import_row_status_idx ON public.import_row USING btree (organization_id, import_id, status, n);
alter table import_row enable row level security, force row level security;
create policy organization on import_row to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on import_row to headwater_system using (true);

create table inbox_folder (
  organization_id text not null,
  id text not null,
  name text not null,
  parent_folder_id text,
  color text,
  "position" integer not null,
  is_system boolean default false not null,
  system_name text,
  is_shared boolean default true not null,
  user_id text,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint inbox_folder_pkey PRIMARY KEY (organization_id, id),
  constraint inbox_folder_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint inbox_folder_parent_folder_id_fkey FOREIGN KEY (organization_id, parent_folder_id) REFERENCES inbox_folder(organization_id, id) DEFERRABLE,
  constraint inbox_folder_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES membership(organization_id, user_id) DEFERRABLE
);
CREATE UNIQUE INDEX inbox_folder_name_key ON public.inbox_folder USING btree (organization_id, COALESCE(parent_folder_id, ''::text), COALESCE(user_id, ''::text), lower(name));
CREATE INDEX inbox_folder_parent_folder_id_idx ON public.inbox_folder USING btree (organization_id, parent_folder_id, date_created DESC, id DESC) WHERE (parent_folder_id IS NOT NULL);
CREATE UNIQUE INDEX inbox_folder_system_name_key ON public.inbox_folder USING btree (organization_id, system_name) WHERE (system_name IS NOT NULL);
CREATE INDEX inbox_folder_user_id_idx ON public.inbox_folder USING btree (organization_id, user_id, date_created DESC, id DESC) WHERE (user_id IS NOT NULL);
alter table inbox_folder enable row level security, force row level security;
create policy organization on inbox_folder to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on inbox_folder to headwater_system using (true);

create table inbox_prospect (
  organization_id text not null,
  id text not null,
  name text,
  email text,
  phone text,
  channel text not null,
  company text,
  subject text,
  preview text,
  body_text text,
  message jsonb default '{}'::jsonb not null,
  folder_id text not null,
  status text default 'new'::text not null,
  received_at timestamp(3) with time zone not null,
  lead_id text,
  contact_id text,
  conversation_id text,
  activity_id text,
  dismissed_at timestamp(3) with time zone,
  dismissed_by text,
  converted_at timestamp(3) with time zone,
  converted_by text,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  user_id text,
  account_id text,
  message_count integer default 1 not null,
  constraint inbox_prospect_pkey PRIMARY KEY (organization_id, id),
  constraint inbox_prospect_activity_id_fkey FOREIGN KEY (organization_id, activity_id) REFERENCES activity(organization_id, id) DEFERRABLE,
  constraint inbox_prospect_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contact(organization_id, id) DEFERRABLE,
  constraint inbox_prospect_conversation_id_fkey FOREIGN KEY (organization_id, conversation_id) REFERENCES conversation(organization_id, id) DEFERRABLE,
  constraint inbox_prospect_folder_id_fkey FOREIGN KEY (organization_id, folder_id) REFERENCES inbox_folder(organization_id, id) DEFERRABLE,
  constraint inbox_prospect_lead_id_fkey FOREIGN KEY (organization_id, lead_id) REFERENCES lead(organization_id, id) DEFERRABLE,
  constraint inbox_prospect_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint inbox_prospect_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES membership(organization_id, user_id) DEFERRABLE
);
CREATE INDEX inbox_prospect_activity_id_idx ON public.inbox_prospect USING btree (organization_id, activity_id, date_created DESC, id DESC) WHERE (activity_id IS NOT NULL);
CREATE INDEX inbox_prospect_contact_id_idx ON public.inbox_prospect USING btree (organization_id, contact_id, date_created DESC, id DESC) WHERE (contact_id IS NOT NULL);
CREATE INDEX inbox_prospect_conversation_id_idx ON public.inbox_prospect USING btree (organization_id, conversation_id, date_created DESC, id DESC) WHERE (conversation_id IS NOT NULL);
CREATE UNIQUE INDEX inbox_prospect_email_key ON public.inbox_prospect USING btree (organization_id, lower(email), COALESCE(account_id, ''::text)) WHERE ((status = 'new'::text) AND (email IS NOT NULL));
CREATE INDEX inbox_prospect_folder_id_idx ON public.inbox_prospect USING btree (organization_id, folder_id, date_created DESC, id DESC) WHERE (folder_id IS NOT NULL);
CREATE INDEX inbox_prospect_held_idx ON public.inbox_prospect USING btree (organization_id, user_id, lower(email)) WHERE ((status <> 'converted'::text) AND (email IS NOT NULL));
CREATE INDEX inbox_prospect_lead_id_idx ON public.inbox_prospect USING btree (organization_id, lead_id, date_created DESC, id DESC) WHERE (lead_id IS NOT NULL);
CREATE UNIQUE INDEX inbox_prospect_phone_key ON public.inbox_prospect USING btree (organization_id, phone, COALESCE(user_id, ''::text)) WHERE ((status = 'new'::text) AND (email IS NULL) AND (phone IS NOT NULL));
CREATE INDEX inbox_prospect_received_at_idx ON public.inbox_prospect USING btree (organization_id, status, received_at DESC, id DESC);
CREATE INDEX inbox_prospect_user_id_idx ON public.inbox_prospect USING btree (organization_id, user_id, date_created DESC, id DESC) WHERE (user_id IS NOT NULL);
alter table inbox_prospect enable row level security, force row level security;
create policy organization on inbox_prospect to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on inbox_prospect to headwater_system using (true);

create table inbox_rule (
  organization_id text not null,
  id text not null,
  name text not null,
  is_enabled boolean default true not null,
  "position" integer not null,
  match text default 'all'::text not null,
  conditions jsonb not null,
  exceptions jsonb default '[]'::jsonb not null,
  actions jsonb not null,
  stop_processing boolean default false not null,
  user_id text,
  last_matched_at timestamp(3) with time zone,
  match_count integer default 0 not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  latest_error text,
  constraint inbox_rule_pkey PRIMARY KEY (organization_id, id),
  constraint inbox_rule_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint inbox_rule_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES membership(organization_id, user_id) DEFERRABLE
);
CREATE INDEX inbox_rule_position_idx ON public.inbox_rule USING btree (organization_id, "position", id);
CREATE INDEX inbox_rule_user_id_idx ON public.inbox_rule USING btree (organization_id, user_id, date_created DESC, id DESC) WHERE (user_id IS NOT NULL);
alter table inbox_rule enable row level security, force row level security;
create policy organization on inbox_rule to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on inbox_rule to headwater_system using (true);

create table invitation (
  organization_id text not null,
  membership_id text not null,
  hash text not null,
  invited_by text,
  expires_at timestamp(3) with time zone not null,
  date_created timestamp(3) with time zone not null,
  constraint invitation_pkey PRIMARY KEY (organization_id, membership_id),
  constraint invitation_membership_id_fkey FOREIGN KEY (organization_id, membership_id) REFERENCES membership(organization_id, id) DEFERRABLE,
  constraint invitation_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE UNIQUE INDEX invitation_hash_key ON public.invitation USING btree (hash, organization_id);
alter table invitation enable row level security, force row level security;
create policy organization on invitation to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on invitation to headwater_system using (true);

create table job (
  organization_id text not null,
  kind text not null,
  object_id text not null,
  state text not null,
  due_at timestamp(3) with time zone not null,
  claim text,
  claimed_until timestamp(3) with time zone,
  woken_at timestamp(3) with time zone,
  failures integer default 0 not null,
  crashes integer default 0 not null,
  latest_error text,
  lane text default ''::text not null,
  request_id text,
  constraint job_pkey PRIMARY KEY (organization_id, kind, object_id),
  constraint job_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint job_check CHECK (((state = 'claimed'::text) = ((claim IS NOT NULL) AND (claimed_until IS NOT NULL)))),
  constraint job_state_check CHECK ((state = ANY (ARRAY['scheduled'::text, 'ready'::text, 'claimed'::text])))
);
CREATE INDEX job_claimed_until_idx ON public.job USING btree (claimed_until) WHERE (state = 'claimed'::text);
CREATE INDEX job_due_at_idx ON public.job USING btree (due_at) WHERE (state = 'scheduled'::text);
CREATE INDEX job_failing_idx ON public.job USING btree (due_at) WHERE ((state = 'scheduled'::text) AND (failures > 0));
CREATE INDEX job_ready_idx ON public.job USING btree (kind, organization_id, lane, due_at, object_id) WHERE (state = 'ready'::text);
alter table job enable row level security, force row level security;
create policy organization on job to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on job to headwater_system using (true);

create table kept_removal (
  organization_id text not null,
  request_id text not null,
  kept json not null,
  date_created timestamp(3) with time zone not null,
  constraint kept_removal_pkey PRIMARY KEY (organization_id, request_id),
  constraint kept_removal_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX kept_removal_date_created_idx ON public.kept_removal USING btree (date_created);
alter table kept_removal enable row level security, force row level security;
create policy organization on kept_removal to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on kept_removal to headwater_system using (true);

create table lead (
  organization_id text not null,
  id text not null,
  name text,
  display_name text not null,
  first_contact_name text,
  url text,
  industry text,
  description text,
  status_id text not null,
  owner_id text,
  mrr bigint,
  emails jsonb default '[]'::jsonb not null,
  phones jsonb default '[]'::jsonb not null,
  addresses jsonb default '[]'::jsonb not null,
  tags text[] default '{}'::text[] not null,
  custom jsonb default '{}'::jsonb not null,
  score integer,
  score_grade text,
  score_reasons jsonb default '[]'::jsonb not null,
  scored_at timestamp(3) with time zone,
  source text default 'api'::text not null,
  email_keys text[] default '{}'::text[] not null,
  phone_keys text[] default '{}'::text[] not null,
  search tsvector,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  rendered text,
  constraint lead_pkey PRIMARY KEY (organization_id, id) INCLUDE (status_id, owner_id, created_by, date_created),
  constraint lead_owner_id_fkey FOREIGN KEY (organization_id, owner_id) REFERENCES membership(organization_id, user_id) DEFERRABLE,
  constraint lead_status_id_fkey FOREIGN KEY (organization_id, status_id) REFERENCES lead_status(organization_id, id) DEFERRABLE
);
CREATE INDEX lead_date_created_idx ON public.lead USING btree (organization_id, date_created DESC, id DESC) INCLUDE (created_by);
CREATE INDEX lead_date_updated_idx ON public.lead USING btree (organization_id, date_updated DESC, id DESC);
CREATE INDEX lead_host_idx ON public.lead USING btree (organization_id, lower("substring"(url, '^[a-z]+://(?:www\.)?([^/:?#]+)'::text))) WHERE (url IS NOT NULL);
CREATE INDEX lead_name_idx ON public.lead USING btree (organization_id, sort_key(name)) WHERE (name IS NOT NULL);
CREATE INDEX lead_owner_id_idx ON public.lead USING btree (organization_id, owner_id, date_created DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX lead_search_idx ON public.lead USING gin (search) WITH (fastupdate=off);
CREATE INDEX lead_status_id_idx ON public.lead USING btree (organization_id, status_id, date_created DESC, id DESC) WHERE (status_id IS NOT NULL);
CREATE INDEX lead_values_idx ON public.lead USING gin (organization_id, custom jsonb_path_ops, tags, email_keys, phone_keys);
alter table lead enable row level security, force row level security;
create policy organization on lead to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on lead to headwater_system using (true);
CREATE TRIGGER forget_rendering BEFORE UPDATE ON public.lead FOR EACH ROW EXECUTE FUNCTION forget_rendering();

create table lead_list (
  organization_id text not null,
  id text not null,
  name text not null,
  source text default 'internal'::text not null,
  description text,
  is_read_only boolean default false not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint lead_list_pkey PRIMARY KEY (organization_id, id),
  constraint lead_list_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE UNIQUE INDEX lead_list_name_key ON public.lead_list USING btree (organization_id, lower(name));
CREATE INDEX lead_list_sort_idx ON public.lead_list USING btree (organization_id, sort_key(name), id);
alter table lead_list enable row level security, force row level security;
create policy organization on lead_list to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on lead_list to headwater_system using (true);

create table lead_list_member (
  organization_id text not null,
  id text not null,
  list_id text not null,
  lead_id text not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint lead_list_member_pkey PRIMARY KEY (organization_id, id),
  constraint lead_list_member_lead_id_fkey FOREIGN KEY (organization_id, lead_id) REFERENCES lead(organization_id, id) DEFERRABLE,
  constraint lead_list_member_list_id_fkey FOREIGN KEY (organization_id, list_id) REFERENCES lead_list(organization_id, id) DEFERRABLE,
  constraint lead_list_member_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX lead_list_member_lead_id_idx ON public.lead_list_member USING btree (organization_id, lead_id, date_created DESC, id DESC) WHERE (lead_id IS NOT NULL);
CREATE UNIQUE INDEX lead_list_member_lead_id_key ON public.lead_list_member USING btree (organization_id, list_id, lead_id);
CREATE INDEX lead_list_member_list_id_idx ON public.lead_list_member USING btree (organization_id, list_id, date_created DESC, id DESC) WHERE (list_id IS NOT NULL);
alter table lead_list_member enable row level security, force row level security;
create policy organization on lead_list_member to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on lead_list_member to headwater_system using (true);

create table lead_status (
  organization_id text not null,
  id text not null,
  label text not null,
  type text,
  color text,
  "position" integer not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint lead_status_pkey PRIMARY KEY (organization_id, id),
  constraint lead_status_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE UNIQUE INDEX lead_status_label_key ON public.lead_status USING btree (organization_id, lower(label));
alter table lead_status enable row level security, force row level security;
create policy organization on lead_status to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on lead_status to headwater_system using (true);

create table lead_tag (
  organization_id text not null,
  id text not null,
  name text not null,
  color text,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint lead_tag_pkey PRIMARY KEY (organization_id, id),
  constraint lead_tag_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE UNIQUE INDEX lead_tag_name_key ON public.lead_tag USING btree (organization_id, lower(name));
CREATE INDEX lead_tag_sort_idx ON public.lead_tag USING btree (organization_id, sort_key(name), id);
alter table lead_tag enable row level security, force row level security;
create policy organization on lead_tag to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on lead_tag to headwater_system using (true);

create table line_item (
  organization_id text not null,
  id text not null,
  opportunity_id text not null,
  lead_id text not null,
  product_id text,
  name text not null,
  description text,
  quantity double precision default 1 not null,
  unit_price bigint not null,
  currency text not null,
  discount double precision default 0 not null,
  discount_type text default 'percentage'::text not null,
  tax_percent double precision default 0 not null,
  tax_method text default 'exclusive'::text not null,
  billing_period text default 'one_time'::text not null,
  "position" integer not null,
  subtotal bigint not null,
  discount_total bigint not null,
  tax_total bigint not null,
  total bigint not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint line_item_pkey PRIMARY KEY (organization_id, id),
  constraint line_item_lead_id_fkey FOREIGN KEY (organization_id, lead_id) REFERENCES lead(organization_id, id) DEFERRABLE,
  constraint line_item_opportunity_id_fkey FOREIGN KEY (organization_id, opportunity_id) REFERENCES opportunity(organization_id, id) DEFERRABLE,
  constraint line_item_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint line_item_product_id_fkey FOREIGN KEY (organization_id, product_id) REFERENCES product(organization_id, id) DEFERRABLE
);
CREATE INDEX line_item_lead_id_idx ON public.line_item USING btree (organization_id, lead_id, date_created DESC, id DESC) WHERE (lead_id IS NOT NULL);
CREATE INDEX line_item_opportunity_id_idx ON public.line_item USING btree (organization_id, opportunity_id, date_created DESC, id DESC) WHERE (opportunity_id IS NOT NULL);
CREATE INDEX line_item_product_id_idx ON public.line_item USING btree (organization_id, product_id, date_created DESC, id DESC) WHERE (product_id IS NOT NULL);
alter table line_item enable row level security, force row level security;
create policy organization on line_item to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on line_item to headwater_system using (true);

create table list_sync (
  organization_id text not null,
  service text not null,
  status text default 'waiting'::text not null,
  place jsonb,
  started_at timestamp(3) with time zone,
  completed_at timestamp(3) with time zone,
  n_members integer default 0 not null,
  n_unknown integer default 0 not null,
  error text,
  tries integer default 0 not null,
  constraint list_sync_pkey PRIMARY KEY (organization_id, service),
  constraint list_sync_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint list_sync_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'reading'::text, 'applying'::text])))
);
alter table list_sync enable row level security, force row level security;
create policy organization on list_sync to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on list_sync to headwater_system using (true);

create table list_sync_profile (
  organization_id text not null,
  service text not null,
  contact_id text not null,
  external_id text not null,
  list_names text[] not null,
  constraint list_sync_profile_pkey PRIMARY KEY (organization_id, service, contact_id),
  constraint list_sync_profile_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
alter table list_sync_profile enable row level security, force row level security;
create policy organization on list_sync_profile to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on list_sync_profile to headwater_system using (true);

create table mail_hit (
  organization_id text not null,
  id text not null,
  email_id text not null,
  kind text not null,
  address text not null,
  url text default ''::text not null,
  ip_address text default ''::text not null,
  user_agent text default ''::text not null,
  is_machine boolean default false not null,
  at timestamp(3) with time zone not null,
  moment text not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint mail_hit_pkey PRIMARY KEY (organization_id, id),
  constraint mail_hit_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX mail_hit_at_idx ON public.mail_hit USING btree (at, id);
CREATE INDEX mail_hit_email_id_idx ON public.mail_hit USING btree (organization_id, email_id);
CREATE UNIQUE INDEX mail_hit_once_key ON public.mail_hit USING btree (organization_id, email_id, kind, address, md5(url), ip_address, is_machine, moment);
alter table mail_hit enable row level security, force row level security;
create policy organization on mail_hit to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on mail_hit to headwater_system using (true);

create table mail_identity (
  organization_id text not null,
  identity text not null,
  activity_id text,
  date_created timestamp(3) with time zone not null,
  fingerprint text,
  constraint mail_identity_pkey PRIMARY KEY (organization_id, identity),
  constraint mail_identity_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
alter table mail_identity enable row level security, force row level security;
create policy organization on mail_identity to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on mail_identity to headwater_system using (true);

create table mail_link (
  organization_id text not null,
  hash text not null,
  url text not null,
  constraint mail_link_pkey PRIMARY KEY (organization_id, hash),
  constraint mail_link_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
alter table mail_link enable row level security, force row level security;
create policy organization on mail_link to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on mail_link to headwater_system using (true);

create table mail_recipient (
  organization_id text not null,
  token_hash text not null,
  email_id text not null,
  address text not null,
  date_created timestamp(3) with time zone not null,
  constraint mail_recipient_pkey PRIMARY KEY (organization_id, token_hash),
  constraint mail_recipient_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE UNIQUE INDEX mail_recipient_token_hash_key ON public.mail_recipient USING btree (token_hash, organization_id);
alter table mail_recipient enable row level security, force row level security;
create policy organization on mail_recipient to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on mail_recipient to headwater_system using (true);

create table mailbox (
  organization_id text not null,
  account_id text not null,
  since timestamp(3) with time zone not null,
  failures integer default 0 not null,
  failing_since timestamp(3) with time zone,
  needs_owner boolean default false not null,
  constraint mailbox_pkey PRIMARY KEY (organization_id, account_id),
  constraint mailbox_organization_id_account_id_fkey FOREIGN KEY (organization_id, account_id) REFERENCES connected_account(organization_id, id) ON DELETE CASCADE,
  constraint mailbox_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
alter table mailbox enable row level security, force row level security;
create policy organization on mailbox to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on mailbox to headwater_system using (true);

create table mailbox_day (
  organization_id text not null,
  mailbox text not null,
  day date not null,
  sent integer not null,
  date_created timestamp(3) with time zone not null,
  automatic integer default 0 not null,
  constraint mailbox_day_pkey PRIMARY KEY (organization_id, mailbox, day),
  constraint mailbox_day_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX mailbox_day_date_created_idx ON public.mailbox_day USING btree (date_created);
alter table mailbox_day enable row level security, force row level security;
create policy organization on mailbox_day to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on mailbox_day to headwater_system using (true);

create table mailbox_folder (
  organization_id text not null,
  account_id text not null,
  role text not null,
  path text not null,
  uid_validity bigint not null,
  last_uid bigint not null,
  tried_uid bigint,
  tries integer default 0 not null,
  constraint mailbox_folder_pkey PRIMARY KEY (organization_id, account_id, role),
  constraint mailbox_folder_organization_id_account_id_fkey FOREIGN KEY (organization_id, account_id) REFERENCES mailbox(organization_id, account_id) ON DELETE CASCADE,
  constraint mailbox_folder_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint mailbox_folder_role_check CHECK ((role = ANY (ARRAY['inbox'::text, 'sent'::text])))
);
alter table mailbox_folder enable row level security, force row level security;
create policy organization on mailbox_folder to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on mailbox_folder to headwater_system using (true);

create table mailbox_watch (
  organization_id text not null,
  account_id text not null,
  worker text,
  held_until timestamp(3) with time zone,
  entrance text not null,
  failures integer default 0 not null,
  again_at timestamp(3) with time zone,
  constraint mailbox_watch_pkey PRIMARY KEY (organization_id, account_id),
  constraint mailbox_watch_organization_id_account_id_fkey FOREIGN KEY (organization_id, account_id) REFERENCES connected_account(organization_id, id) ON DELETE CASCADE,
  constraint mailbox_watch_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX mailbox_watch_worker_idx ON public.mailbox_watch USING btree (worker) WHERE (worker IS NOT NULL);
alter table mailbox_watch enable row level security, force row level security;
create policy organization on mailbox_watch to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on mailbox_watch to headwater_system using (true);

create table mailing_export (
  organization_id text not null,
  id text not null,
  platform text not null,
  filters jsonb default '{}'::jsonb not null,
  config jsonb default '{}'::jsonb not null,
  match_count integer not null,
  status text default 'queued'::text not null,
  n_pushed integer default 0 not null,
  n_skipped integer default 0 not null,
  n_failed integer default 0 not null,
  errors jsonb default '[]'::jsonb not null,
  date_started timestamp(3) with time zone,
  date_completed timestamp(3) with time zone,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  n_excluded jsonb default '{}'::jsonb not null,
  error text,
  file_id text,
  receipt text,
  tries integer default 0 not null,
  failing_since timestamp(3) with time zone,
  batch_most integer,
  automation_run_id text,
  run_by text,
  constraint mailing_export_pkey PRIMARY KEY (organization_id, id),
  constraint mailing_export_file_id_fkey FOREIGN KEY (organization_id, file_id) REFERENCES file(organization_id, id) DEFERRABLE,
  constraint mailing_export_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint mailing_export_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text, 'canceled'::text])))
);
CREATE INDEX mailing_export_date_created_idx ON public.mailing_export USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX mailing_export_file_id_idx ON public.mailing_export USING btree (organization_id, file_id, date_created DESC, id DESC) WHERE (file_id IS NOT NULL);
alter table mailing_export enable row level security, force row level security;
create policy organization on mailing_export to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on mailing_export to headwater_system using (true);

create table mailing_export_item (
  organization_id text not null,
  mailing_export_id text not null,
  ord integer not null,
  contact_id text not null,
  status text default 'pending'::text not null,
  address text,
  error text,
  date_created timestamp(3) with time zone not null,
  constraint mailing_export_item_pkey PRIMARY KEY (organization_id, mailing_export_id, ord),
  constraint mailing_export_item_mailing_export_id_fkey FOREIGN KEY (organization_id, mailing_export_id) REFERENCES mailing_export(organization_id, id),
  constraint mailing_export_item_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint mailing_export_item_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sending'::text, 'pushed'::text, 'skipped'::text, 'failed'::text])))
);
CREATE INDEX mailing_export_item_address_idx ON public.mailing_export_item USING btree (organization_id, mailing_export_id, address) WHERE (address IS NOT NULL);
CREATE INDEX mailing_export_item_date_created_idx ON public.mailing_export_item USING btree (date_created);
CREATE INDEX mailing_export_item_pending_idx ON public.mailing_export_item USING btree (organization_id, mailing_export_id, ord) WHERE (status = 'pending'::text);
CREATE INDEX mailing_export_item_sending_idx ON public.mailing_export_item USING btree (organization_id, mailing_export_id, ord) WHERE (status = 'sending'::text);
alter table mailing_export_item enable row level security, force row level security;
create policy organization on mailing_export_item to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on mailing_export_item to headwater_system using (true);

create table membership (
  organization_id text not null,
  id text not null,
  user_id text not null,
  role_id text default 'user'::text not null,
  invited_email text,
  accepted boolean default true not null,
  status text default 'active'::text not null,
  availability text default 'offline'::text not null,
  availability_updated_at timestamp(3) with time zone,
  auto_record_calls text default 'unset'::text not null,
  default_caller_id text,
  hangup_recording_url text,
  may_workflows_impersonate boolean default false not null,
  track_email_opens boolean default true not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone default now() not null,
  date_updated timestamp(3) with time zone default now() not null,
  version integer default 1 not null,
  constraint membership_organization_id_user_id_key UNIQUE (organization_id, user_id),
  constraint membership_pkey PRIMARY KEY (organization_id, id),
  constraint membership_default_caller_id_fkey FOREIGN KEY (organization_id, default_caller_id) REFERENCES phone_number(organization_id, id) DEFERRABLE,
  constraint membership_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint membership_role_id_fkey FOREIGN KEY (organization_id, role_id) REFERENCES role(organization_id, id) DEFERRABLE,
  constraint membership_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id),
  constraint membership_availability_check CHECK ((availability = ANY (ARRAY['online'::text, 'offline'::text]))),
  constraint membership_check CHECK ((accepted OR ((status <> 'active'::text) AND (invited_email IS NOT NULL)))),
  constraint membership_status_check CHECK ((status = ANY (ARRAY['invited'::text, 'active'::text, 'inactive'::text])))
);
CREATE INDEX membership_default_caller_id_idx ON public.membership USING btree (organization_id, default_caller_id, date_created DESC, id DESC) WHERE (default_caller_id IS NOT NULL);
CREATE INDEX membership_role_id_idx ON public.membership USING btree (organization_id, role_id, date_created DESC, id DESC) WHERE (role_id IS NOT NULL);
CREATE INDEX membership_user_id_idx ON public.membership USING btree (user_id);
alter table membership enable row level security, force row level security;
create policy organization on membership to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on membership to headwater_system using (true);

create table migration (
  version integer not null,
  file text not null,
  applied_at timestamp with time zone default now() not null,
  contracts text,
  constraint migration_pkey PRIMARY KEY (version)
);

create table notification (
  organization_id text not null,
  id text not null,
  user_id text not null,
  type text not null,
  title text not null,
  body text,
  is_read boolean default false not null,
  read_at timestamp(3) with time zone,
  object_type text,
  object_id text,
  lead_id text,
  actor_id text,
  url text,
  data jsonb default '{}'::jsonb not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  count bigint default 1 not null,
  group_key text,
  system_mail_id text,
  constraint notification_pkey PRIMARY KEY (organization_id, id),
  constraint notification_lead_id_fkey FOREIGN KEY (organization_id, lead_id) REFERENCES lead(organization_id, id) DEFERRABLE,
  constraint notification_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX notification_date_created_idx ON public.notification USING btree (organization_id, user_id, date_created DESC, id DESC);
CREATE UNIQUE INDEX notification_group_key_key ON public.notification USING btree (organization_id, user_id, group_key) WHERE (group_key IS NOT NULL);
CREATE INDEX notification_lead_id_idx ON public.notification USING btree (organization_id, lead_id, date_created DESC, id DESC) WHERE (lead_id IS NOT NULL);
CREATE INDEX notification_object_id_idx ON public.notification USING btree (organization_id, object_id) WHERE (object_id IS NOT NULL);
CREATE INDEX notification_old_idx ON public.notification USING btree (date_created);
CREATE INDEX notification_system_mail_id_idx ON public.notification USING btree (organization_id, system_mail_id) WHERE (system_mail_id IS NOT NULL);
CREATE INDEX notification_unmailed_idx ON public.notification USING btree (date_created) WHERE ((NOT is_read) AND (system_mail_id IS NULL));
CREATE INDEX notification_unread_idx ON public.notification USING btree (organization_id, user_id, date_created DESC, id DESC) WHERE (NOT is_read);
alter table notification enable row level security, force row level security;
create policy organization on notification to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on notification to headwater_system using (true);

create table oauth_answer (
  organization_id text not null,
  id text not null,
  date_created timestamp(3) with time zone not null,
  constraint oauth_answer_pkey PRIMARY KEY (organization_id, id),
  constraint oauth_answer_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX oauth_answer_date_created_idx ON public.oauth_answer USING btree (date_created);
alter table oauth_answer enable row level security, force row level security;
create policy organization on oauth_answer to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on oauth_answer to headwater_system using (true);

create table oauth_app (
  organization_id text not null,
  id text not null,
  name text not null,
  description text,
  website_url text,
  logo_url text,
  redirect_uris text[] not null,
  client_type text not null,
  scopes text[] not null,
  secret_hash text,
  client_secret_last4 text,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint oauth_app_pkey PRIMARY KEY (organization_id, id),
  constraint oauth_app_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint oauth_app_redirect_uris_check CHECK ((cardinality(redirect_uris) > 0))
);
CREATE INDEX oauth_app_date_created_idx ON public.oauth_app USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX oauth_app_id_idx ON public.oauth_app USING btree (id);
alter table oauth_app enable row level security, force row level security;
create policy organization on oauth_app to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on oauth_app to headwater_system using (true);

create table oauth_artifact (
  model text not null,
  hash text not null,
  grant_id text,
  payload jsonb not null,
  date_created timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  consumed_at timestamp(3) with time zone,
  uses integer default 0 not null,
  constraint oauth_artifact_pkey PRIMARY KEY (model, hash)
);
CREATE INDEX oauth_artifact_expires_at_idx ON public.oauth_artifact USING btree (expires_at);
CREATE INDEX oauth_artifact_grant_id_idx ON public.oauth_artifact USING btree (grant_id) WHERE (grant_id IS NOT NULL);
alter table oauth_artifact enable row level security, force row level security;
create policy system on oauth_artifact to headwater_system using (true);

create table oauth_client (
  id text not null,
  metadata jsonb not null,
  secret_hash text,
  date_created timestamp(3) with time zone not null,
  used_at timestamp(3) with time zone,
  constraint oauth_client_pkey PRIMARY KEY (id)
);
CREATE INDEX oauth_client_unused_idx ON public.oauth_client USING btree (date_created) WHERE (used_at IS NULL);
alter table oauth_client enable row level security, force row level security;
create policy system on oauth_client to headwater_system using (true);

create table oauth_grant (
  organization_id text not null,
  account_id text not null,
  provider text not null,
  client_id text not null,
  subject text not null,
  sealed_refresh_token text not null,
  sealed_access_tokens text,
  version integer default 1 not null,
  refresh_claim text,
  refreshing_until timestamp(3) with time zone,
  failures integer default 0 not null,
  next_refresh_at timestamp(3) with time zone,
  latest_error text,
  refused_at timestamp(3) with time zone,
  is_given_back boolean default false not null,
  date_created timestamp(3) with time zone not null,
  constraint oauth_grant_pkey PRIMARY KEY (organization_id, account_id),
  constraint oauth_grant_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint oauth_grant_provider_check CHECK ((provider = ANY (ARRAY['google'::text, 'microsoft'::text])))
);
CREATE INDEX oauth_grant_subject_idx ON public.oauth_grant USING btree (subject, organization_id);
alter table oauth_grant enable row level security, force row level security;
create policy organization on oauth_grant to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on oauth_grant to headwater_system using (true);

create table opportunity (
  organization_id text not null,
  id text not null,
  lead_id text not null,
  contact_id text,
  status_id text not null,
  user_id text,
  value bigint,
  value_period text default 'one_time'::text not null,
  value_currency text not null,
  confidence integer default 50,
  annualized_value bigint,
  expected_value bigint,
  annualized_expected_value bigint,
  note text,
  note_html text,
  date_won date,
  date_lost timestamp(3) with time zone,
  expected_close_date date,
  attachments jsonb default '[]'::jsonb not null,
  line_items_total bigint,
  line_items_by_period jsonb,
  custom jsonb default '{}'::jsonb not null,
  search tsvector,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  rendered text,
  constraint opportunity_pkey PRIMARY KEY (organization_id, id) INCLUDE (status_id, lead_id, user_id, created_by, value, value_period, value_currency, annualized_value, expected_value, confidence, date_won, date_lost, expected_close_date, date_created),
  constraint opportunity_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contact(organization_id, id) DEFERRABLE,
  constraint opportunity_lead_id_fkey FOREIGN KEY (organization_id, lead_id) REFERENCES lead(organization_id, id) DEFERRABLE,
  constraint opportunity_status_id_fkey FOREIGN KEY (organization_id, status_id) REFERENCES opportunity_status(organization_id, id) DEFERRABLE,
  constraint opportunity_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES membership(organization_id, user_id) DEFERRABLE
);
CREATE INDEX opportunity_contact_id_idx ON public.opportunity USING btree (organization_id, contact_id, date_created DESC, id DESC) WHERE (contact_id IS NOT NULL);
CREATE INDEX opportunity_custom_idx ON public.opportunity USING gin (organization_id, custom jsonb_path_ops);
CREATE INDEX opportunity_date_created_idx ON public.opportunity USING btree (organization_id, date_created DESC, id DESC) INCLUDE (user_id, created_by);
CREATE INDEX opportunity_date_lost_idx ON public.opportunity USING btree (organization_id, date_lost) WHERE (date_lost IS NOT NULL);
CREATE INDEX opportunity_date_updated_idx ON public.opportunity USING btree (organization_id, date_updated DESC, id DESC);
CREATE INDEX opportunity_date_won_idx ON public.opportunity USING btree (organization_id, date_won) WHERE (date_won IS NOT NULL);
CREATE INDEX opportunity_expected_close_date_idx ON public.opportunity USING btree (organization_id, expected_close_date) WHERE (expected_close_date IS NOT NULL);
CREATE INDEX opportunity_lead_id_idx ON public.opportunity USING btree (organization_id, lead_id, date_created DESC, id DESC) WHERE (lead_id IS NOT NULL);
CREATE INDEX opportunity_search_idx ON public.opportunity USING gin (search);
CREATE INDEX opportunity_status_id_idx ON public.opportunity USING btree (organization_id, status_id, date_created DESC, id DESC) WHERE (status_id IS NOT NULL);
CREATE INDEX opportunity_user_id_idx ON public.opportunity USING btree (organization_id, user_id, date_created DESC, id DESC) WHERE (user_id IS NOT NULL);
alter table opportunity enable row level security, force row level security;
create policy organization on opportunity to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on opportunity to headwater_system using (true);
CREATE TRIGGER forget_rendering BEFORE UPDATE ON public.opportunity FOR EACH ROW EXECUTE FUNCTION forget_rendering();

create table opportunity_status (
  organization_id text not null,
  id text not null,
  label text not null,
  type text not null,
  pipeline_id text not null,
  color text,
  "position" integer not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint opportunity_status_pkey PRIMARY KEY (organization_id, id),
  constraint opportunity_status_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint opportunity_status_pipeline_id_fkey FOREIGN KEY (organization_id, pipeline_id) REFERENCES pipeline(organization_id, id) DEFERRABLE,
  constraint opportunity_status_type_check CHECK ((type = ANY (ARRAY['active'::text, 'won'::text, 'lost'::text])))
);
CREATE UNIQUE INDEX opportunity_status_label_key ON public.opportunity_status USING btree (organization_id, pipeline_id, lower(label));
CREATE INDEX opportunity_status_pipeline_id_idx ON public.opportunity_status USING btree (organization_id, pipeline_id, date_created DESC, id DESC) WHERE (pipeline_id IS NOT NULL);
alter table opportunity_status enable row level security, force row level security;
create policy organization on opportunity_status to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on opportunity_status to headwater_system using (true);

create table organization (
  organization_id text not null,
  id text not null,
  name text not null,
  account_id text not null,
  currency text default 'USD'::text not null,
  timezone text default 'UTC'::text not null,
  country text default 'US'::text not null,
  locale text default 'en'::text not null,
  settings jsonb default '{}'::jsonb not null,
  enable_unsubscribe_link boolean default false not null,
  require_unsubscribe_link boolean default false not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone default now() not null,
  date_updated timestamp(3) with time zone default now() not null,
  version integer default 1 not null,
  erased_at timestamp(3) with time zone,
  limit_percent smallint,
  constraint organization_id_key UNIQUE (id),
  constraint organization_pkey PRIMARY KEY (organization_id, id),
  constraint organization_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id),
  constraint organization_check CHECK ((id = organization_id)),
  constraint organization_limit_percent_check CHECK (((limit_percent >= 0) AND (limit_percent <= 99)))
);
CREATE INDEX organization_account_id_idx ON public.organization USING btree (account_id);
CREATE INDEX organization_erased_idx ON public.organization USING btree (id) WHERE (erased_at IS NOT NULL);
alter table organization enable row level security, force row level security;
create policy organization on organization to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on organization to headwater_system using (true);

create table organization_export (
  organization_id text not null,
  id text not null,
  status text default 'queued'::text not null,
  size bigint,
  checksum_sha256 text,
  error text,
  expires_at timestamp(3) with time zone,
  date_started timestamp(3) with time zone,
  date_completed timestamp(3) with time zone,
  storage_key text,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint organization_export_pkey PRIMARY KEY (organization_id, id),
  constraint organization_export_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint organization_export_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'error'::text])))
);
CREATE INDEX organization_export_date_created_idx ON public.organization_export USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX organization_export_expires_at_idx ON public.organization_export USING btree (expires_at) WHERE (storage_key IS NOT NULL);
alter table organization_export enable row level security, force row level security;
create policy organization on organization_export to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on organization_export to headwater_system using (true);
CREATE TRIGGER forget_export_bytes AFTER UPDATE OF storage_key ON public.organization_export FOR EACH ROW WHEN (((old.storage_key IS NOT NULL) AND (new.storage_key IS DISTINCT FROM old.storage_key))) EXECUTE FUNCTION remove_export_bytes();
CREATE TRIGGER remove_export_bytes AFTER DELETE ON public.organization_export FOR EACH ROW WHEN ((old.storage_key IS NOT NULL)) EXECUTE FUNCTION remove_export_bytes();

create table passkey (
  id text not null,
  user_id text not null,
  credential_id text not null,
  public_key text not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  date_created timestamp(3) with time zone not null,
  last_used_at timestamp(3) with time zone,
  backed_up boolean default false not null,
  constraint passkey_credential_id_key UNIQUE (credential_id),
  constraint passkey_pkey PRIMARY KEY (id),
  constraint passkey_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id)
);
CREATE INDEX passkey_user_id_idx ON public.passkey USING btree (user_id, date_created);
alter table passkey enable row level security, force row level security;
create policy system on passkey to headwater_system using (true);

create table passkey_answer (
  hash text not null,
  expires_at timestamp(3) with time zone not null,
  constraint passkey_answer_pkey PRIMARY KEY (hash)
);
CREATE INDEX passkey_answer_expires_at_idx ON public.passkey_answer USING btree (expires_at);
alter table passkey_answer enable row level security, force row level security;
create policy system on passkey_answer to headwater_system using (true);

create table password_link (
  hash text not null,
  user_id text not null,
  date_created timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  seen_by text,
  constraint password_link_pkey PRIMARY KEY (hash),
  constraint password_link_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id)
);
CREATE INDEX password_link_expires_at_idx ON public.password_link USING btree (expires_at);
CREATE INDEX password_link_user_id_idx ON public.password_link USING btree (user_id, date_created);
alter table password_link enable row level security, force row level security;
create policy system on password_link to headwater_system using (true);

create table phone_number (
  organization_id text not null,
  id text not null,
  number text not null,
  label text default ''::text not null,
  type text not null,
  status text not null,
  country text,
  carrier text,
  carrier_type text not null,
  is_group_number boolean default false not null,
  user_id text,
  participants text[] default '{}'::text[] not null,
  phone_numbers text[] default '{}'::text[] not null,
  forward_to text,
  forward_to_enabled boolean default false not null,
  press_1_to_accept boolean default false not null,
  voicemail_greeting_url text,
  sms_enabled boolean default true not null,
  mms_enabled boolean default true not null,
  supports_sms_to_countries text[] default '{}'::text[] not null,
  supports_mms_to_countries text[] default '{}'::text[] not null,
  is_premium boolean default false not null,
  is_verified boolean default false not null,
  was_ported boolean default false not null,
  last_billed_price text,
  next_billing_on date,
  address_id text,
  bundle_id text,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  status_details text,
  constraint phone_number_pkey PRIMARY KEY (organization_id, id),
  constraint phone_number_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint phone_number_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES membership(organization_id, user_id) DEFERRABLE
);
CREATE UNIQUE INDEX phone_number_number_key ON public.phone_number USING btree (organization_id, number);
CREATE INDEX phone_number_pending_idx ON public.phone_number USING btree (date_created) WHERE ((status = ANY (ARRAY['pending'::text, 'porting'::text])) AND (type = 'internal'::text));
CREATE INDEX phone_number_user_id_idx ON public.phone_number USING btree (organization_id, user_id, date_created DESC, id DESC) WHERE (user_id IS NOT NULL);
alter table phone_number enable row level security, force row level security;
create policy organization on phone_number to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on phone_number to headwater_system using (true);

create table pipeline (
  organization_id text not null,
  id text not null,
  name text not null,
  "position" integer not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint pipeline_pkey PRIMARY KEY (organization_id, id),
  constraint pipeline_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE UNIQUE INDEX pipeline_name_key ON public.pipeline USING btree (organization_id, lower(name));
alter table pipeline enable row level security, force row level security;
create policy organization on pipeline to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on pipeline to headwater_system using (true);

create table port (
  organization_id text not null,
  id text not null,
  phone_numbers text[] default '{}'::text[] not null,
  country text,
  status text not null,
  status_details text,
  carrier_name text,
  sealed_account_number text,
  sealed_pin text,
  authorized_name text,
  billing_address jsonb,
  loa_file_id text,
  invoice_file_id text,
  requested_foc_date date,
  foc_date date,
  exceptions jsonb default '[]'::jsonb not null,
  submitted_at timestamp(3) with time zone,
  completed_at timestamp(3) with time zone,
  user_id text,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  authorized_email text,
  customer_name text,
  customer_type text,
  account_phone_number text,
  provider text,
  provider_id text,
  provider_state text,
  handed_at timestamp(3) with time zone,
  constraint port_pkey PRIMARY KEY (organization_id, id),
  constraint port_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint port_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES membership(organization_id, user_id) DEFERRABLE,
  constraint port_customer_type_check CHECK ((customer_type = ANY (ARRAY['business'::text, 'individual'::text])))
);
CREATE INDEX port_date_created_idx ON public.port USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX port_open_idx ON public.port USING btree (submitted_at) WHERE (status = ANY (ARRAY['submitted'::text, 'in_process'::text, 'exception'::text, 'foc_date_confirmed'::text]));
CREATE INDEX port_phone_numbers_idx ON public.port USING gin (organization_id, phone_numbers);
CREATE INDEX port_user_id_idx ON public.port USING btree (organization_id, user_id, date_created DESC, id DESC) WHERE (user_id IS NOT NULL);
CREATE INDEX port_waiting_idx ON public.port USING btree (submitted_at) WHERE (status = 'submitted'::text);
alter table port enable row level security, force row level security;
create policy organization on port to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on port to headwater_system using (true);

create table presence (
  organization_id text not null,
  user_id text not null,
  heard_at timestamp(3) with time zone not null,
  date_created timestamp(3) with time zone not null,
  constraint presence_pkey PRIMARY KEY (organization_id, user_id),
  constraint presence_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
alter table presence enable row level security, force row level security;
create policy organization on presence to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on presence to headwater_system using (true);

create table product (
  organization_id text not null,
  id text not null,
  name text not null,
  code text,
  description text,
  category text,
  unit text,
  image_url text,
  unit_price bigint default 0 not null,
  cost bigint,
  currency text not null,
  billing_period text default 'one_time'::text not null,
  tax_percent double precision default 0 not null,
  is_active boolean default true not null,
  custom jsonb default '{}'::jsonb not null,
  search tsvector,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint product_pkey PRIMARY KEY (organization_id, id),
  constraint product_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE UNIQUE INDEX product_code_key ON public.product USING btree (organization_id, lower(code)) WHERE (code IS NOT NULL);
CREATE INDEX product_name_idx ON public.product USING btree (organization_id, sort_key(name), id);
CREATE INDEX product_search_idx ON public.product USING gin (search);
alter table product enable row level security, force row level security;
create policy organization on product to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on product to headwater_system using (true);

create table project (
  organization_id text not null,
  id text not null,
  name text not null,
  description text,
  status text default 'open'::text not null,
  lead_id text,
  kept_lead_name text,
  opportunity_id text,
  contact_id text,
  owner_id text,
  member_ids text[] default '{}'::text[] not null,
  start_date date,
  end_date date,
  phase text,
  labels text[] default '{}'::text[] not null,
  progress double precision default 0 not null,
  task_count integer default 0 not null,
  completed_task_count integer default 0 not null,
  date_completed timestamp(3) with time zone,
  custom jsonb default '{}'::jsonb not null,
  search tsvector,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint project_pkey PRIMARY KEY (organization_id, id),
  constraint project_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contact(organization_id, id) DEFERRABLE,
  constraint project_lead_id_fkey FOREIGN KEY (organization_id, lead_id) REFERENCES lead(organization_id, id) DEFERRABLE,
  constraint project_opportunity_id_fkey FOREIGN KEY (organization_id, opportunity_id) REFERENCES opportunity(organization_id, id) DEFERRABLE,
  constraint project_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint project_owner_id_fkey FOREIGN KEY (organization_id, owner_id) REFERENCES membership(organization_id, user_id) DEFERRABLE,
  constraint project_status_check CHECK ((status = ANY (ARRAY['open'::text, 'completed'::text, 'canceled'::text])))
);
CREATE INDEX project_contact_id_idx ON public.project USING btree (organization_id, contact_id, date_created DESC, id DESC) WHERE (contact_id IS NOT NULL);
CREATE INDEX project_custom_idx ON public.project USING gin (organization_id, custom jsonb_path_ops);
CREATE INDEX project_date_created_idx ON public.project USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX project_date_updated_idx ON public.project USING btree (organization_id, date_updated DESC, id DESC);
CREATE INDEX project_lead_id_idx ON public.project USING btree (organization_id, lead_id, date_created DESC, id DESC) WHERE (lead_id IS NOT NULL);
CREATE INDEX project_name_idx ON public.project USING btree (organization_id, sort_key(name), id);
CREATE INDEX project_opportunity_id_idx ON public.project USING btree (organization_id, opportunity_id, date_created DESC, id DESC) WHERE (opportunity_id IS NOT NULL);
CREATE INDEX project_owner_id_idx ON public.project USING btree (organization_id, owner_id, date_created DESC, id DESC) WHERE (owner_id IS NOT NULL);
CREATE INDEX project_search_idx ON public.project USING gin (search);
CREATE INDEX project_status_idx ON public.project USING btree (organization_id, status, date_created DESC, id DESC);
alter table project enable row level security, force row level security;
create policy organization on project to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on project to headwater_system using (true);

create table project_task (
  organization_id text not null,
  id text not null,
  project_id text not null,
  lead_id text,
  name text not null,
  description text,
  status text default 'todo'::text not null,
  is_complete boolean default false not null,
  assigned_to text,
  due_date date,
  priority text,
  parent_task_id text,
  "position" integer not null,
  depends_on text[] default '{}'::text[] not null,
  date_completed timestamp(3) with time zone,
  completed_by text,
  search tsvector,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint project_task_pkey PRIMARY KEY (organization_id, id),
  constraint project_task_assigned_to_fkey FOREIGN KEY (organization_id, assigned_to) REFERENCES membership(organization_id, user_id) DEFERRABLE,
  constraint project_task_lead_id_fkey FOREIGN KEY (organization_id, lead_id) REFERENCES lead(organization_id, id) DEFERRABLE,
  constraint project_task_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint project_task_parent_task_id_fkey FOREIGN KEY (organization_id, parent_task_id) REFERENCES project_task(organization_id, id) DEFERRABLE,
  constraint project_task_project_id_fkey FOREIGN KEY (organization_id, project_id) REFERENCES project(organization_id, id) DEFERRABLE,
  constraint project_task_check CHECK ((is_complete = (status = 'done'::text))),
  constraint project_task_status_check CHECK ((status = ANY (ARRAY['todo'::text, 'in_progress'::text, 'done'::text])))
);
CREATE INDEX project_task_assigned_to_idx ON public.project_task USING btree (organization_id, assigned_to, date_created DESC, id DESC) WHERE (assigned_to IS NOT NULL);
CREATE INDEX project_task_date_created_idx ON public.project_task USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX project_task_date_updated_idx ON public.project_task USING btree (organization_id, date_updated DESC, id DESC);
CREATE INDEX project_task_due_date_idx ON public.project_task USING btree (organization_id, due_date) WHERE (due_date IS NOT NULL);
CREATE INDEX project_task_lead_id_idx ON public.project_task USING btree (organization_id, lead_id, date_created DESC, id DESC) WHERE (lead_id IS NOT NULL);
CREATE INDEX project_task_parent_task_id_idx ON public.project_task USING btree (organization_id, parent_task_id, date_created DESC, id DESC) WHERE (parent_task_id IS NOT NULL);
CREATE INDEX project_task_position_idx ON public.project_task USING btree (organization_id, project_id, "position", id);
CREATE INDEX project_task_project_id_idx ON public.project_task USING btree (organization_id, project_id, date_created DESC, id DESC) WHERE (project_id IS NOT NULL);
CREATE INDEX project_task_search_idx ON public.project_task USING gin (search);
alter table project_task enable row level security, force row level security;
create policy organization on project_task to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on project_task to headwater_system using (true);

create table prospect_file (
  organization_id text not null,
  id text not null,
  message_id text not null,
  storage_key text not null,
  part jsonb not null,
  date_created timestamp(3) with time zone not null,
  taken_at timestamp(3) with time zone,
  constraint prospect_file_pkey PRIMARY KEY (organization_id, id),
  constraint prospect_file_message_id_fkey FOREIGN KEY (organization_id, message_id) REFERENCES prospect_message(organization_id, id) DEFERRABLE,
  constraint prospect_file_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX prospect_file_message_id_idx ON public.prospect_file USING btree (organization_id, message_id, date_created DESC, id DESC) WHERE (message_id IS NOT NULL);
CREATE INDEX prospect_file_storage_key_idx ON public.prospect_file USING btree (organization_id, storage_key);
alter table prospect_file enable row level security, force row level security;
create policy organization on prospect_file to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on prospect_file to headwater_system using (true);
CREATE TRIGGER keep_stored_bytes AFTER INSERT ON public.prospect_file FOR EACH ROW EXECUTE FUNCTION keep_stored_bytes();
CREATE TRIGGER remove_stored_bytes AFTER DELETE ON public.prospect_file FOR EACH ROW WHEN ((old.taken_at IS NULL)) EXECUTE FUNCTION remove_stored_bytes();

create table prospect_message (
  organization_id text not null,
  id text not null,
  prospect_id text not null,
  identity text,
  email jsonb,
  subject text,
  body_text text,
  message jsonb default '{}'::jsonb not null,
  received_at timestamp(3) with time zone not null,
  date_created timestamp(3) with time zone not null,
  provider_id text default (message ->> 'provider_id'::text),
  constraint prospect_message_pkey PRIMARY KEY (organization_id, id),
  constraint prospect_message_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint prospect_message_prospect_id_fkey FOREIGN KEY (organization_id, prospect_id) REFERENCES inbox_prospect(organization_id, id) DEFERRABLE
);
CREATE INDEX prospect_message_identity_idx ON public.prospect_message USING btree (organization_id, identity) WHERE (identity IS NOT NULL);
CREATE INDEX prospect_message_prospect_id_idx ON public.prospect_message USING btree (organization_id, prospect_id, date_created DESC, id DESC) WHERE (prospect_id IS NOT NULL);
CREATE INDEX prospect_message_provider_id_idx ON public.prospect_message USING btree (organization_id, provider_id) WHERE (provider_id IS NOT NULL);
alter table prospect_message enable row level security, force row level security;
create policy organization on prospect_message to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on prospect_message to headwater_system using (true);

create table quote (
  organization_id text not null,
  id text not null,
  number text not null,
  title text,
  lead_id text,
  kept_lead_name text,
  opportunity_id text,
  contact_id text,
  status text default 'draft'::text not null,
  currency text not null,
  line_items jsonb default '[]'::jsonb not null,
  discount double precision default 0 not null,
  discount_type text default 'percentage'::text not null,
  subtotal bigint not null,
  discount_total bigint not null,
  tax_total bigint not null,
  total bigint not null,
  expires_at date,
  header text,
  description text,
  footer text,
  terms text,
  notes text,
  public_token text,
  public_hash text,
  file_id text,
  date_sent timestamp(3) with time zone,
  date_accepted timestamp(3) with time zone,
  date_declined timestamp(3) with time zone,
  date_canceled timestamp(3) with time zone,
  accepted_by_name text,
  accepted_by_email text,
  revision integer default 1 not null,
  from_quote_id text,
  custom jsonb default '{}'::jsonb not null,
  search tsvector,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  signed_file_id text,
  parties jsonb,
  logo_file_id text,
  constraint quote_pkey PRIMARY KEY (organization_id, id),
  constraint quote_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contact(organization_id, id) DEFERRABLE,
  constraint quote_file_id_fkey FOREIGN KEY (organization_id, file_id) REFERENCES file(organization_id, id) DEFERRABLE,
  constraint quote_from_quote_id_fkey FOREIGN KEY (organization_id, from_quote_id) REFERENCES quote(organization_id, id) DEFERRABLE,
  constraint quote_lead_id_fkey FOREIGN KEY (organization_id, lead_id) REFERENCES lead(organization_id, id) DEFERRABLE,
  constraint quote_logo_file_id_fkey FOREIGN KEY (organization_id, logo_file_id) REFERENCES file(organization_id, id) DEFERRABLE,
  constraint quote_opportunity_id_fkey FOREIGN KEY (organization_id, opportunity_id) REFERENCES opportunity(organization_id, id) DEFERRABLE,
  constraint quote_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint quote_signed_file_id_fkey FOREIGN KEY (organization_id, signed_file_id) REFERENCES file(organization_id, id) DEFERRABLE,
  constraint quote_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'open'::text, 'accepted'::text, 'declined'::text, 'expired'::text, 'canceled'::text])))
);
CREATE INDEX quote_contact_id_idx ON public.quote USING btree (organization_id, contact_id, date_created DESC, id DESC) WHERE (contact_id IS NOT NULL);
CREATE INDEX quote_custom_idx ON public.quote USING gin (organization_id, custom jsonb_path_ops);
CREATE INDEX quote_date_created_idx ON public.quote USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX quote_date_updated_idx ON public.quote USING btree (organization_id, date_updated DESC, id DESC);
CREATE INDEX quote_expires_at_idx ON public.quote USING btree (expires_at) WHERE (status = 'open'::text);
CREATE INDEX quote_expiry_idx ON public.quote USING btree (organization_id, expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX quote_file_id_idx ON public.quote USING btree (organization_id, file_id, date_created DESC, id DESC) WHERE (file_id IS NOT NULL);
CREATE INDEX quote_from_quote_id_idx ON public.quote USING btree (organization_id, from_quote_id, date_created DESC, id DESC) WHERE (from_quote_id IS NOT NULL);
CREATE INDEX quote_lead_id_idx ON public.quote USING btree (organization_id, lead_id, date_created DESC, id DESC) WHERE (lead_id IS NOT NULL);
CREATE INDEX quote_logo_file_id_idx ON public.quote USING btree (organization_id, logo_file_id, date_created DESC, id DESC) WHERE (logo_file_id IS NOT NULL);
CREATE UNIQUE INDEX quote_number_key ON public.quote USING btree (organization_id, number);
CREATE INDEX quote_opportunity_id_idx ON public.quote USING btree (organization_id, opportunity_id, date_created DESC, id DESC) WHERE (opportunity_id IS NOT NULL);
CREATE UNIQUE INDEX quote_public_hash_key ON public.quote USING btree (public_hash, organization_id) WHERE (public_hash IS NOT NULL);
CREATE INDEX quote_search_idx ON public.quote USING gin (search);
CREATE INDEX quote_signed_file_id_idx ON public.quote USING btree (organization_id, signed_file_id, date_created DESC, id DESC) WHERE (signed_file_id IS NOT NULL);
CREATE INDEX quote_status_idx ON public.quote USING btree (organization_id, status, date_created DESC, id DESC);
alter table quote enable row level security, force row level security;
create policy organization on quote to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on quote to headwater_system using (true);

create table received_hook (
  organization_id text not null,
  automation_id text not null,
  key text not null,
  event_id text not null,
  date_created timestamp(3) with time zone not null,
  constraint received_hook_pkey PRIMARY KEY (organization_id, automation_id, key),
  constraint received_hook_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX received_hook_old_idx ON public.received_hook USING btree (date_created);
alter table received_hook enable row level security, force row level security;
create policy organization on received_hook to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on received_hook to headwater_system using (true);

create table received_text (
  organization_id text not null,
  provider_id text not null,
  date_created timestamp(3) with time zone not null,
  constraint received_text_pkey PRIMARY KEY (organization_id, provider_id),
  constraint received_text_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
alter table received_text enable row level security, force row level security;
create policy organization on received_text to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on received_text to headwater_system using (true);

create table recovery_code (
  user_id text not null,
  hash text not null,
  used_at timestamp(3) with time zone,
  constraint recovery_code_pkey PRIMARY KEY (user_id, hash),
  constraint recovery_code_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id)
);
alter table recovery_code enable row level security, force row level security;
create policy system on recovery_code to headwater_system using (true);

create table role (
  organization_id text not null,
  id text not null,
  name text not null,
  permissions text[] default '{}'::text[] not null,
  visibility_user_lcf_ids text[] default '{}'::text[] not null,
  visibility_user_lcf_behavior text default 'require_assignment'::text not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone default now() not null,
  date_updated timestamp(3) with time zone default now() not null,
  version integer default 1 not null,
  constraint role_pkey PRIMARY KEY (organization_id, id),
  constraint role_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE UNIQUE INDEX role_name_key ON public.role USING btree (organization_id, lower(name));
alter table role enable row level security, force row level security;
create policy organization on role to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on role to headwater_system using (true);

create table sealing_key (
  one boolean default true not null,
  key_id text not null,
  constraint sealing_key_pkey PRIMARY KEY (one),
  constraint sealing_key_one_check CHECK (one)
);

create table send_as (
  organization_id text not null,
  id text not null,
  allowing_user_id text not null,
  allowed_user_id text not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint send_as_pkey PRIMARY KEY (organization_id, id),
  constraint send_as_allowed_user_id_fkey FOREIGN KEY (organization_id, allowed_user_id) REFERENCES membership(organization_id, user_id) DEFERRABLE,
  constraint send_as_allowing_user_id_fkey FOREIGN KEY (organization_id, allowing_user_id) REFERENCES membership(organization_id, user_id) DEFERRABLE,
  constraint send_as_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX send_as_allowed_user_id_idx ON public.send_as USING btree (organization_id, allowed_user_id, date_created DESC, id DESC) WHERE (allowed_user_id IS NOT NULL);
CREATE UNIQUE INDEX send_as_allowed_user_id_key ON public.send_as USING btree (organization_id, allowing_user_id, allowed_user_id);
CREATE INDEX send_as_allowing_user_id_idx ON public.send_as USING btree (organization_id, allowing_user_id, date_created DESC, id DESC) WHERE (allowing_user_id IS NOT NULL);
CREATE INDEX send_as_date_created_idx ON public.send_as USING btree (organization_id, date_created DESC, id DESC);
alter table send_as enable row level security, force row level security;
create policy organization on send_as to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on send_as to headwater_system using (true);

create table sequence (
  organization_id text not null,
  id text not null,
  name text not null,
  description text,
  status text not null,
  timezone text not null,
  schedule jsonb,
  throttle jsonb,
  trigger_query jsonb,
  steps jsonb default '[]'::jsonb not null,
  steps_version integer default 1 not null,
  allow_manual_enrollment boolean default true not null,
  stop_on_reply boolean default true not null,
  stop_on_meeting boolean default true not null,
  is_shared boolean default true not null,
  email_template_ids text[] default '{}'::text[] not null,
  sms_template_ids text[] default '{}'::text[] not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  stop_rules jsonb,
  out_of_office jsonb,
  sender jsonb,
  goal jsonb,
  reply_scope text default 'any'::text not null,
  resubscribe_after jsonb,
  tracking jsonb,
  other_address boolean default false not null,
  thread_mode text default 'new_thread'::text not null,
  constraint sequence_pkey PRIMARY KEY (organization_id, id),
  constraint sequence_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX sequence_date_created_idx ON public.sequence USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX sequence_templates_idx ON public.sequence USING gin (organization_id, email_template_ids, sms_template_ids);
CREATE INDEX sequence_trigger_idx ON public.sequence USING btree (date_created) WHERE ((status = 'active'::text) AND (trigger_query IS NOT NULL));
alter table sequence enable row level security, force row level security;
create policy organization on sequence to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on sequence to headwater_system using (true);

create table sequence_former_steps (
  organization_id text not null,
  sequence_id text not null,
  version integer not null,
  steps jsonb not null,
  date_created timestamp(3) with time zone not null,
  constraint sequence_former_steps_pkey PRIMARY KEY (organization_id, sequence_id, version),
  constraint sequence_former_steps_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
alter table sequence_former_steps enable row level security, force row level security;
create policy organization on sequence_former_steps to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on sequence_former_steps to headwater_system using (true);

create table sequence_matched (
  organization_id text not null,
  sequence_id text not null,
  contact_id text not null,
  constraint sequence_matched_pkey PRIMARY KEY (organization_id, sequence_id, contact_id),
  constraint sequence_matched_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
alter table sequence_matched enable row level security, force row level security;
create policy organization on sequence_matched to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on sequence_matched to headwater_system using (true);

create table sequence_quota (
  organization_id text not null,
  name text not null,
  day date not null,
  taken integer not null,
  free_at timestamp(3) with time zone,
  date_created timestamp(3) with time zone not null,
  constraint sequence_quota_pkey PRIMARY KEY (organization_id, name, day),
  constraint sequence_quota_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX sequence_quota_date_created_idx ON public.sequence_quota USING btree (date_created);
alter table sequence_quota enable row level security, force row level security;
create policy organization on sequence_quota to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on sequence_quota to headwater_system using (true);

create table sequence_step_taken (
  organization_id text not null,
  subscription_id text not null,
  step_id text not null,
  sequence_id text not null,
  variant text,
  outcome text not null,
  object_id text,
  date_created timestamp(3) with time zone not null,
  constraint sequence_step_taken_pkey PRIMARY KEY (organization_id, subscription_id, step_id),
  constraint sequence_step_taken_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX sequence_step_taken_sequence_idx ON public.sequence_step_taken USING btree (organization_id, sequence_id, step_id);
alter table sequence_step_taken enable row level security, force row level security;
create policy organization on sequence_step_taken to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on sequence_step_taken to headwater_system using (true);

create table sequence_subscription (
  organization_id text not null,
  id text not null,
  sequence_id text not null,
  contact_id text not null,
  lead_id text not null,
  contact_email text,
  sender_account_id text,
  sender_name text,
  sender_email text,
  calls_assigned_to text[] default '{}'::text[] not null,
  from_phone_number_id text,
  status text not null,
  status_reason text,
  start_date timestamp(3) with time zone not null,
  steps_version integer not null,
  current_step_id text,
  next_step_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  paused_at timestamp(3) with time zone,
  initial_email_id text,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  resume_at timestamp(3) with time zone,
  waiting_message_id text,
  waiting_task_id text,
  latest_email_id text,
  error_message text,
  held_since timestamp(3) with time zone,
  slot_at timestamp(3) with time zone,
  throttled_since timestamp(3) with time zone,
  keeps_steps boolean default false not null,
  vars jsonb,
  reply_awaited_until timestamp(3) with time zone,
  automation_run_id text,
  bulk_action_id text,
  was_due_at timestamp(3) with time zone,
  step_before_at timestamp(3) with time zone,
  constraint sequence_subscription_pkey PRIMARY KEY (organization_id, id),
  constraint sequence_subscription_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contact(organization_id, id) DEFERRABLE,
  constraint sequence_subscription_from_phone_number_id_fkey FOREIGN KEY (organization_id, from_phone_number_id) REFERENCES phone_number(organization_id, id) DEFERRABLE,
  constraint sequence_subscription_lead_id_fkey FOREIGN KEY (organization_id, lead_id) REFERENCES lead(organization_id, id) DEFERRABLE,
  constraint sequence_subscription_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint sequence_subscription_sender_account_id_fkey FOREIGN KEY (organization_id, sender_account_id) REFERENCES connected_account(organization_id, id) DEFERRABLE
);
CREATE INDEX sequence_subscription_contact_email_idx ON public.sequence_subscription USING btree (organization_id, lower(contact_email)) WHERE (status = ANY (ARRAY['active'::text, 'paused'::text]));
CREATE UNIQUE INDEX sequence_subscription_contact_email_key ON public.sequence_subscription USING btree (organization_id, sequence_id, lower(contact_email)) WHERE ((status = ANY (ARRAY['active'::text, 'paused'::text])) AND (contact_email IS NOT NULL));
CREATE INDEX sequence_subscription_contact_id_idx ON public.sequence_subscription USING btree (organization_id, contact_id, date_created DESC, id DESC) WHERE (contact_id IS NOT NULL);
CREATE UNIQUE INDEX sequence_subscription_contact_id_key ON public.sequence_subscription USING btree (organization_id, contact_id, sequence_id) WHERE (status = ANY (ARRAY['active'::text, 'paused'::text]));
CREATE INDEX sequence_subscription_date_created_idx ON public.sequence_subscription USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX sequence_subscription_ended_idx ON public.sequence_subscription USING btree (organization_id, sequence_id, lower(contact_email), finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX sequence_subscription_from_phone_number_id_idx ON public.sequence_subscription USING btree (organization_id, from_phone_number_id, date_created DESC, id DESC) WHERE (from_phone_number_id IS NOT NULL);
CREATE INDEX sequence_subscription_lead_id_idx ON public.sequence_subscription USING btree (organization_id, lead_id, date_created DESC, id DESC) WHERE (lead_id IS NOT NULL);
CREATE INDEX sequence_subscription_next_step_at_idx ON public.sequence_subscription USING btree (next_step_at) WHERE ((status = 'active'::text) AND (next_step_at IS NOT NULL));
CREATE INDEX sequence_subscription_resume_at_idx ON public.sequence_subscription USING btree (resume_at) WHERE ((status = 'paused'::text) AND (resume_at IS NOT NULL));
CREATE INDEX sequence_subscription_sender_account_id_idx ON public.sequence_subscription USING btree (organization_id, sender_account_id, date_created DESC, id DESC) WHERE (sender_account_id IS NOT NULL);
CREATE INDEX sequence_subscription_sender_idx ON public.sequence_subscription USING btree (organization_id, sender_account_id, next_step_at) WHERE ((status = 'active'::text) AND (next_step_at IS NOT NULL));
CREATE INDEX sequence_subscription_sequence_id_idx ON public.sequence_subscription USING btree (organization_id, sequence_id, status, date_created DESC, id DESC);
alter table sequence_subscription enable row level security, force row level security;
create policy organization on sequence_subscription to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on sequence_subscription to headwater_system using (true);

create table session (
  hash text not null,
  id text not null,
  user_id text not null,
  methods text[] not null,
  is_pending boolean not null,
  ip text not null,
  user_agent text not null,
  date_created timestamp(3) with time zone not null,
  last_seen_at timestamp(3) with time zone not null,
  confirmed_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  constraint session_id_key UNIQUE (id),
  constraint session_pkey PRIMARY KEY (hash),
  constraint session_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id)
);
CREATE INDEX session_expires_at_idx ON public.session USING btree (expires_at);
CREATE INDEX session_user_id_idx ON public.session USING btree (user_id, date_created);
alter table session enable row level security, force row level security;
create policy system on session to headwater_system using (true);

create table share_bulk (
  organization_id text not null,
  id text not null,
  target_organization_id text not null,
  status text default 'queued'::text not null,
  selector jsonb not null,
  n_total integer default 0 not null,
  n_processed integer default 0 not null,
  n_shared integer default 0 not null,
  n_skipped integer default 0 not null,
  n_failed integer default 0 not null,
  errors jsonb default '[]'::jsonb not null,
  date_started timestamp(3) with time zone,
  date_completed timestamp(3) with time zone,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  error text,
  run_by text,
  constraint share_bulk_pkey PRIMARY KEY (organization_id, id),
  constraint share_bulk_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint share_bulk_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text])))
);
CREATE INDEX share_bulk_date_created_idx ON public.share_bulk USING btree (organization_id, date_created DESC, id DESC);
alter table share_bulk enable row level security, force row level security;
create policy organization on share_bulk to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on share_bulk to headwater_system using (true);

create table sign_in_failure (
  holder text not null,
  failures integer not null,
  blocked_until timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  constraint sign_in_failure_pkey PRIMARY KEY (holder)
);
CREATE INDEX sign_in_failure_expires_at_idx ON public.sign_in_failure USING btree (expires_at);
alter table sign_in_failure enable row level security, force row level security;
create policy system on sign_in_failure to headwater_system using (true);

create table sms_template (
  organization_id text not null,
  id text not null,
  name text not null,
  text text default ''::text not null,
  is_shared boolean default false not null,
  status text default 'active'::text not null,
  attachments jsonb default '[]'::jsonb not null,
  user_id text not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint sms_template_pkey PRIMARY KEY (organization_id, id),
  constraint sms_template_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint sms_template_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES membership(organization_id, user_id) DEFERRABLE
);
CREATE INDEX sms_template_date_created_idx ON public.sms_template USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX sms_template_user_id_idx ON public.sms_template USING btree (organization_id, user_id, date_created DESC, id DESC) WHERE (user_id IS NOT NULL);
alter table sms_template enable row level security, force row level security;
create policy organization on sms_template to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on sms_template to headwater_system using (true);

create table stored_bytes_removal (
  organization_id text not null,
  storage_key text not null,
  due timestamp(3) with time zone not null,
  constraint stored_bytes_removal_pkey PRIMARY KEY (organization_id, storage_key)
);
CREATE INDEX stored_bytes_removal_due_idx ON public.stored_bytes_removal USING btree (due);
alter table stored_bytes_removal enable row level security, force row level security;
create policy organization on stored_bytes_removal to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on stored_bytes_removal to headwater_system using (true);

create table system_mail (
  organization_id text not null,
  id text not null,
  kind text not null,
  user_id text,
  membership_id text,
  sealed_token text,
  status text default 'outbox'::text not null,
  tries integer default 0 not null,
  error text,
  created_by text,
  date_created timestamp(3) with time zone not null,
  date_ended timestamp(3) with time zone,
  quote_id text,
  recipient text,
  constraint system_mail_pkey PRIMARY KEY (organization_id, id),
  constraint system_mail_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint system_mail_check CHECK (((kind = 'invitation'::text) = (membership_id IS NOT NULL))),
  constraint system_mail_check1 CHECK (((status = 'outbox'::text) = (date_ended IS NULL))),
  constraint system_mail_kind_check CHECK ((kind = ANY (ARRAY['invitation'::text, 'digest'::text, 'password'::text, 'signed_quote'::text]))),
  constraint system_mail_quote_check CHECK (((kind = 'signed_quote'::text) = (quote_id IS NOT NULL))),
  constraint system_mail_status_check CHECK ((status = ANY (ARRAY['outbox'::text, 'sent'::text, 'error'::text, 'dropped'::text]))),
  constraint system_mail_user_check CHECK (((kind = 'signed_quote'::text) = (user_id IS NULL)))
);
CREATE INDEX system_mail_date_created_idx ON public.system_mail USING btree (date_created);
CREATE INDEX system_mail_membership_id_idx ON public.system_mail USING btree (organization_id, date_created) WHERE (membership_id IS NOT NULL);
CREATE INDEX system_mail_recipient_idx ON public.system_mail USING btree (recipient, date_created) WHERE (recipient IS NOT NULL);
CREATE INDEX system_mail_signed_quote_idx ON public.system_mail USING btree (organization_id, date_created) WHERE (recipient IS NOT NULL);
CREATE INDEX system_mail_user_id_idx ON public.system_mail USING btree (user_id, date_created) WHERE (membership_id IS NOT NULL);
alter table system_mail enable row level security, force row level security;
create policy organization on system_mail to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on system_mail to headwater_system using (true);

create table task (
  organization_id text not null,
  id text not null,
  _type text default 'lead'::text not null,
  lead_id text not null,
  contact_id text,
  text text,
  date date,
  is_complete boolean default false not null,
  date_completed timestamp(3) with time zone,
  completed_by text,
  resolution text,
  priority text,
  assigned_to text not null,
  object_type text,
  object_id text,
  sequence_id text,
  sequence_subscription_id text,
  phone text,
  local_phone text,
  recording_url text,
  voicemail_url text,
  voicemail_duration integer,
  subject text,
  body_preview text,
  email_id text,
  emails jsonb,
  opportunity_id text,
  opportunity_value bigint,
  opportunity_value_formatted text,
  opportunity_note text,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  overdue_at timestamp(3) with time zone,
  overdue_told date,
  approval_run_id text,
  constraint task_pkey PRIMARY KEY (organization_id, id),
  constraint task_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contact(organization_id, id) DEFERRABLE,
  constraint task_lead_id_fkey FOREIGN KEY (organization_id, lead_id) REFERENCES lead(organization_id, id) DEFERRABLE
);
CREATE INDEX task_approval ON public.task USING btree (organization_id, approval_run_id) WHERE (approval_run_id IS NOT NULL);
CREATE INDEX task_assigned_to_idx ON public.task USING btree (organization_id, assigned_to, date, id);
CREATE INDEX task_contact_id_idx ON public.task USING btree (organization_id, contact_id, date_created DESC, id DESC) WHERE (contact_id IS NOT NULL);
CREATE INDEX task_date_created_idx ON public.task USING btree (organization_id, date_created DESC, id DESC);
CREATE INDEX task_date_idx ON public.task USING btree (organization_id, date, id);
CREATE INDEX task_date_updated_idx ON public.task USING btree (organization_id, date_updated DESC, id DESC);
CREATE INDEX task_lead_id_idx ON public.task USING btree (organization_id, lead_id, date_created DESC, id DESC) WHERE (lead_id IS NOT NULL);
CREATE INDEX task_object_id_idx ON public.task USING btree (organization_id, object_id) WHERE (object_id IS NOT NULL);
CREATE INDEX task_open_assigned_to_idx ON public.task USING btree (organization_id, assigned_to, date, id) WHERE (NOT is_complete);
CREATE INDEX task_open_idx ON public.task USING btree (organization_id, date, id) WHERE (NOT is_complete);
CREATE INDEX task_overdue_at_idx ON public.task USING btree (overdue_at) WHERE (overdue_at IS NOT NULL);
alter table task enable row level security, force row level security;
create policy organization on task to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on task to headwater_system using (true);

create table text_pace (
  organization_id text not null,
  line text not null,
  free_at timestamp(3) with time zone not null,
  date_created timestamp(3) with time zone not null,
  constraint text_pace_pkey PRIMARY KEY (organization_id, line),
  constraint text_pace_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
alter table text_pace enable row level security, force row level security;
create policy organization on text_pace to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on text_pace to headwater_system using (true);

create table timer (
  name text not null,
  due_at timestamp(3) with time zone not null,
  fired_at timestamp(3) with time zone,
  failures integer default 0 not null,
  latest_error text,
  constraint timer_pkey PRIMARY KEY (name)
);

create table unsubscribed_email (
  organization_id text not null,
  id text not null,
  address text not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  channel text default 'email'::text not null,
  scope text default 'all'::text not null,
  reason text default 'unsubscribed'::text not null,
  source text,
  source_id text,
  constraint unsubscribed_email_pkey PRIMARY KEY (organization_id, id),
  constraint unsubscribed_email_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE UNIQUE INDEX unsubscribed_email_address_key ON public.unsubscribed_email USING btree (organization_id, channel, address, scope, reason, COALESCE(source_id, ''::text));
CREATE INDEX unsubscribed_email_source_id_idx ON public.unsubscribed_email USING btree (organization_id, source_id) WHERE (source_id IS NOT NULL);
alter table unsubscribed_email enable row level security, force row level security;
create policy organization on unsubscribed_email to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on unsubscribed_email to headwater_system using (true);

create table "user" (
  id text not null,
  email text not null,
  email_key text not null,
  first_name text default ''::text not null,
  last_name text default ''::text not null,
  signature text,
  image text,
  timezone text,
  last_used_timezone text,
  password_hash text,
  date_created timestamp(3) with time zone default now() not null,
  date_updated timestamp(3) with time zone default now() not null,
  version integer default 1 not null,
  notification_settings jsonb default '{}'::jsonb not null,
  sealed_totp_secret text,
  totp_confirmed_at timestamp(3) with time zone,
  totp_step bigint,
  vouched_by text,
  constraint user_email_key_key UNIQUE (email_key),
  constraint user_pkey PRIMARY KEY (id)
);
alter table "user" enable row level security, force row level security;
create policy fellow on "user" to headwater_app using ((EXISTS ( SELECT
   FROM membership m
  WHERE (m.user_id = "user".id))));
create policy system on "user" to headwater_system using (true);

create table webhook (
  organization_id text not null,
  id text not null,
  url text not null,
  events text[] not null,
  event_filters jsonb,
  status text default 'active'::text not null,
  verify_ssl boolean default true not null,
  sealed_signature_key text not null,
  pause_reason text,
  failing_since timestamp(3) with time zone,
  latest_error text,
  pending integer default 0 not null,
  delivered bigint default 0 not null,
  failed bigint default 0 not null,
  cursor_epoch bigint not null,
  cursor_position bigint not null,
  cursor_seq bigint default 0 not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  ordering text default 'none'::text not null,
  coalesce_ms integer default 0 not null,
  sealed_previous_key text,
  previous_key_until timestamp(3) with time zone,
  failures_in_row integer default 0 not null,
  last_success_at timestamp(3) with time zone,
  last_failure jsonb,
  probe_at timestamp(3) with time zone,
  probes integer default 0 not null,
  oldest_pending_at timestamp(3) with time zone,
  description text,
  include_bulk boolean default true not null,
  concurrency integer default 16 not null,
  begins_after jsonb,
  constraint webhook_pkey PRIMARY KEY (organization_id, id),
  constraint webhook_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  constraint webhook_events_check CHECK ((cardinality(events) > 0)),
  constraint webhook_ordering_check CHECK ((ordering = ANY (ARRAY['none'::text, 'object'::text]))),
  constraint webhook_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text])))
);
CREATE INDEX webhook_date_created_idx ON public.webhook USING btree (organization_id, date_created DESC, id DESC);
alter table webhook enable row level security, force row level security;
create policy organization on webhook to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on webhook to headwater_system using (true);
CREATE TRIGGER place_webhook BEFORE INSERT ON public.webhook FOR EACH ROW WHEN ((new.cursor_position IS NULL)) EXECUTE FUNCTION place_webhook();
CREATE TRIGGER place_webhook_again BEFORE UPDATE ON public.webhook FOR EACH ROW WHEN ((new.cursor_position IS NULL)) EXECUTE FUNCTION place_webhook();

create table webhook_delivery (
  organization_id text not null,
  id text not null,
  webhook_id text not null,
  event_id text not null,
  coalesced_ids text[] default '{}'::text[] not null,
  event text not null,
  object_id text not null,
  status text not null,
  attempt_count integer default 0 not null,
  attempts jsonb default '[]'::jsonb not null,
  http_status integer,
  error text,
  next_at timestamp(3) with time zone,
  tried_since timestamp(3) with time zone not null,
  tries integer default 0 not null,
  created_by text,
  updated_by text,
  date_created timestamp(3) with time zone not null,
  date_updated timestamp(3) with time zone not null,
  version integer default 1 not null,
  constraint webhook_delivery_pkey PRIMARY KEY (organization_id, id),
  constraint webhook_delivery_check CHECK (((next_at IS NOT NULL) = (status = ANY (ARRAY['pending'::text, 'retrying'::text])))),
  constraint webhook_delivery_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'retrying'::text, 'succeeded'::text, 'failed'::text])))
);
CREATE INDEX webhook_delivery_event_id_idx ON ONLY public.webhook_delivery USING btree (organization_id, event_id);
CREATE INDEX webhook_delivery_next_at_idx ON ONLY public.webhook_delivery USING btree (organization_id, webhook_id, next_at) WHERE (next_at IS NOT NULL);
CREATE INDEX webhook_delivery_webhook_id_idx ON ONLY public.webhook_delivery USING btree (organization_id, webhook_id, date_created DESC, id DESC);
alter table webhook_delivery enable row level security, force row level security;
create policy organization on webhook_delivery to headwater_app using ((organization_id = current_setting('app.organization_id'::text)));
create policy system on webhook_delivery to headwater_system using (true);

create table worker (
  id text not null,
  host text not null,
  pid integer not null,
  started_at timestamp(3) with time zone not null,
  seen_at timestamp(3) with time zone not null,
  defects integer default 0 not null,
  constraint worker_pkey PRIMARY KEY (id)
);

CREATE OR REPLACE PROCEDURE public.begin_event_epoch()
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $procedure$
declare
  present bigint;
begin
  update event_epoch set epoch = greatest(epoch + 1, (extract(epoch from now()) * 1000)::bigint), server = server_life() where server <> server_life() returning epoch into present;
  if found then
    execute format('alter table event alter column epoch set default %s', present);
  end if;
end $procedure$
;

CREATE OR REPLACE FUNCTION public.check_constraints()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  set constraints all immediate;
end $function$
;

CREATE OR REPLACE FUNCTION public.current_organization()
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN current_setting('app.organization_id'::text)
;

CREATE OR REPLACE FUNCTION public.defer_constraints()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  set constraints all deferred;
end $function$
;

CREATE OR REPLACE FUNCTION public.file_subtype_seeds()
 RETURNS TABLE(key text, label text, type text, place integer)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  values
    ('proposal', 'Proposal', null, 0),
    ('contract', 'Contract', null, 1),
    ('quote', 'Quote', null, 2),
    ('invoice', 'Invoice', null, 3),
    ('brochure', 'Brochure', null, 4),
    ('case_study', 'Case study', null, 5),
    ('one_pager', 'One-pager', null, 6),
    ('pricing', 'Pricing', null, 7),
    ('presentation', 'Presentation', null, 8),
    ('nda', 'NDA', null, 9),
    ('onboarding', 'Onboarding', null, 10),
    ('recording', 'Recording', null, 11),
    ('signature_image', 'Signature image', 'image', 12),
    ('other', 'Other', null, 13)
$function$
;

CREATE OR REPLACE PROCEDURE public.forced_row_security(IN table_name text)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('alter table %I enable row level security, force row level security', table_name);
  execute format('create policy system on %I to headwater_system using (true) with check (true)', table_name);
  execute format('grant select, insert, update, delete on %I to headwater_system', table_name);
end $procedure$
;

CREATE OR REPLACE FUNCTION public.forget_rendering()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.rendered is not distinct from old.rendered then
    new.rendered := null;
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_stored_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from stored_bytes_removal where organization_id = new.organization_id and storage_key = new.storage_key;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.leaky_functions()
 RETURNS SETOF regprocedure
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT (pg_proc.oid)::regprocedure AS oid
    FROM pg_proc
   WHERE ((NOT pg_proc.proleakproof) AND (pg_proc.oid = ANY ((ARRAY['ts_match_vq(tsvector,tsquery)'::regprocedure, 'jsonb_contains(jsonb,jsonb)'::regprocedure, 'arraycontains(anyarray,anyarray)'::regprocedure, 'arrayoverlap(anyarray,anyarray)'::regprocedure, 'sort_key(text)'::regprocedure])::oid[])));
END
;

CREATE OR REPLACE FUNCTION public.leave_outreach_slot()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (old.contact_id is not null and new.contact_id is null)
    or (old.opportunity_id is not null and new.opportunity_id is null)
    or (old.lead_id is not null and new.lead_id is null)
    or exists (
      select from file f
      where f.organization_id = new.organization_id and f.id <> new.id
        and coalesce(f.contact_id, f.opportunity_id, f.lead_id, '') = coalesce(new.contact_id, new.opportunity_id, new.lead_id, '')
        and f.outreach_channel = new.outreach_channel and coalesce(f.subtype, '') = coalesce(new.subtype, ''))
  then
    new.outreach_channel := null;
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.place_consumer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.cursor_epoch := (select epoch from event_epoch);
  new.cursor_position := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.place_event()
 RETURNS trigger
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  new.xid := pg_current_xact_id();
  new.position := greatest(new.xid::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1);
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.place_webhook()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.cursor_epoch := (select epoch from event_epoch);
  new.cursor_position := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
  new.begins_after := jsonb_build_object('epoch', new.cursor_epoch::text, 'snapshot', pg_current_snapshot()::text);
  return new;
end $function$
;

CREATE OR REPLACE PROCEDURE public.reference(IN table_name text, IN column_name text, IN target text, IN target_column text DEFAULT 'id'::text)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('alter table %1$I add constraint %2$I foreign key (organization_id, %3$I) references %4$I (organization_id, %5$I) deferrable initially immediate',
    table_name, table_name || '_' || column_name || '_fkey', column_name, target, target_column);
  execute format('create index %1$I on %2$I (organization_id, %3$I, date_created desc, id desc) where %3$I is not null',
    table_name || '_' || column_name || '_idx', table_name, column_name);
end $procedure$
;

CREATE OR REPLACE FUNCTION public.remove_bytes_of_file()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from prospect_file p
      where p.organization_id = old.organization_id and p.storage_key = old.storage_key and p.taken_at is null) then
    return null;
  end if;
  delete from prospect_file p where p.organization_id = old.organization_id and p.storage_key = old.storage_key;
  insert into stored_bytes_removal (organization_id, storage_key, due) values (old.organization_id, old.storage_key, now())
  on conflict (organization_id, storage_key) do update set due = excluded.due;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.remove_export_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into stored_bytes_removal (organization_id, storage_key, due) values (old.organization_id, old.storage_key, now())
  on conflict (organization_id, storage_key) do update set due = excluded.due;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.remove_stored_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into stored_bytes_removal (organization_id, storage_key, due) values (old.organization_id, old.storage_key, now())
  on conflict (organization_id, storage_key) do update set due = excluded.due;
  return null;
end $function$
;

CREATE OR REPLACE PROCEDURE public.rendered_table(IN table_name text)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('alter table %I add column rendered text', table_name);
  execute format('alter table %I set (toast_tuple_target = 8160)', table_name);
  execute format('create trigger forget_rendering before update on %I for each row execute function forget_rendering()', table_name);
end $procedure$
;

CREATE OR REPLACE FUNCTION public.server_life()
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN (SELECT concat_ws('/'::text, pg_control_system.system_identifier, pg_control_checkpoint.timeline_id, EXTRACT(epoch FROM pg_postmaster_start_time()), EXTRACT(epoch FROM pg_stat_get_bgwriter_stat_reset_time())) AS concat_ws FROM pg_control_system() pg_control_system(pg_control_version, catalog_version_no, system_identifier, pg_control_last_modified), pg_control_checkpoint() pg_control_checkpoint(checkpoint_lsn, redo_lsn, redo_wal_file, timeline_id, prev_timeline_id, full_page_writes, next_xid, next_oid, next_multixact_id, next_multi_offset, oldest_xid, oldest_xid_dbid, oldest_active_xid, oldest_multi_xid, oldest_multi_dbid, oldest_commit_ts_xid, newest_commit_ts_xid, checkpoint_time))
;

CREATE OR REPLACE FUNCTION public.sort_key(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT LEAKPROOF
RETURN (lower(unaccent('unaccent'::regdictionary, value)) COLLATE "C")
;

CREATE OR REPLACE PROCEDURE public.tenant_table(IN table_name text)
 LANGUAGE plpgsql
AS $procedure$
declare
  is_spread boolean := false;
begin
  execute format('create policy organization on %I to headwater_app using (organization_id = current_setting(''app.organization_id'')) with check (organization_id = current_setting(''app.organization_id''))', table_name);
  execute format('grant select, insert, update, delete on %I to headwater_app', table_name);
  call forced_row_security(table_name);
  -- Where the tables are spread already (`headwater distribute`), a new one comes beside them.
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute 'select exists (select from pg_dist_partition where logicalrelid = to_regclass(''membership''))' into is_spread;
  end if;
  if is_spread then
    execute format('select create_distributed_table(%L, ''organization_id'', colocate_with => ''membership'')', table_name);
  end if;
end $procedure$
;

CREATE OR REPLACE FUNCTION public.value_due(period text, value bigint, value_period text, by_period jsonb)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (by_period IS NOT NULL) THEN NULLIF(((by_period ->> period))::bigint, 0) WHEN (value_period = period) THEN value ELSE NULL::bigint END
;

create view member as
 SELECT m.organization_id,
    u.id,
    p.email,
    p.first_name,
    p.last_name,
    COALESCE(NULLIF(TRIM(BOTH FROM ((p.first_name || ' '::text) || p.last_name)), ''::text), p.email) AS name,
        CASE
            WHEN m.accepted THEN u.image
            ELSE NULL::text
        END AS image,
        CASE
            WHEN m.accepted THEN u.timezone
            ELSE NULL::text
        END AS timezone,
    m.id AS membership_id,
    m.role_id,
    m.status,
    m.availability,
    m.availability_updated_at,
    m.date_created,
        CASE
            WHEN m.accepted THEN GREATEST(m.date_updated, u.date_updated)
            ELSE m.date_updated
        END AS date_updated,
    m.created_by,
    m.updated_by,
        CASE
            WHEN m.accepted THEN (m.version + u.version)
            ELSE m.version
        END AS version
   FROM ((membership m
     JOIN "user" u ON ((u.id = m.user_id)))
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN m.accepted THEN u.email
                    ELSE m.invited_email
                END AS email,
                CASE
                    WHEN m.accepted THEN u.first_name
                    ELSE ''::text
                END AS first_name,
                CASE
                    WHEN m.accepted THEN u.last_name
                    ELSE ''::text
                END AS last_name) p);

create view stored_event as
 SELECT organization_id,
    id,
    object_type,
    action,
    event,
    object_id,
    lead_id,
    user_id,
    api_key_id,
    oauth_client_id,
    oauth_scope,
    request_id,
    changed_fields,
    previous_data,
    data,
    meta,
    date_created,
    date_updated,
    epoch,
    "position",
    seq,
    xid,
    NULL::text AS created_by,
    NULL::text AS updated_by,
    1 AS version
   FROM event e;
