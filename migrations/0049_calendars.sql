-- Calendars of members elsewhere, and what of them became meetings here.

-- How an account's calendars are read, in rounds: all that are chosen, one after the other, every few minutes.
create table calendar_round (
  organization_id text collate "C" not null references organization (id),
  account_id text collate "C" not null,
  -- When the list of its calendars was read last.
  calendars_at timestamptz(3),
  -- When the round began that is under way.
  began_at timestamptz(3),
  failures integer not null default 0,
  failing_since timestamptz(3),
  primary key (organization_id, account_id)
);
call tenant_table('calendar_round');

-- How far a calendar is read.
create table calendar (
  organization_id text collate "C" not null references organization (id),
  account_id text collate "C" not null,
  calendar_id text collate "C" not null,
  -- By what the provider tells later changes; null while it is listed from the beginning.
  cursor text,
  -- Where reading goes on in the middle of a listing, or of changes.
  page text,
  -- The number of the listing: what the latest did not show is not there any more.
  listing integer not null default 0,
  listed_at timestamptz(3),
  listed_from timestamptz(3),
  listed_to timestamptz(3),
  -- How many events the listing has brought so far.
  events integer not null default 0,
  read_at timestamptz(3),
  error text,
  primary key (organization_id, account_id, calendar_id)
);
call tenant_table('calendar');

-- A meeting as all calendars know it: the same event in the calendars of several members is one.
create table calendar_meeting (
  organization_id text collate "C" not null references organization (id),
  uid text collate "C" not null,
  -- Of an occurrence, when it was to begin in the first place; else empty.
  occurrence text collate "C" not null,
  -- The meeting; it stays named when somebody deletes it, and does not come again.
  activity_id text collate "C",
  -- The state that the calendars gave it beside the clock's.
  said text,
  -- Whose copy says what the meeting is about.
  account_id text collate "C",
  calendar_id text collate "C",
  event_id text collate "C",
  is_organizer boolean not null default false,
  primary key (organization_id, uid, occurrence)
);
call tenant_table('calendar_meeting');
create index calendar_meeting_activity_id_idx on calendar_meeting (organization_id, activity_id) where activity_id is not null;

-- That a meeting stands in a calendar.
create table calendar_copy (
  organization_id text collate "C" not null references organization (id),
  account_id text collate "C" not null,
  calendar_id text collate "C" not null,
  event_id text collate "C" not null,
  uid text collate "C" not null,
  occurrence text collate "C" not null,
  series_id text collate "C",
  is_exception boolean not null,
  user_id text collate "C" not null,
  starts_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  listing integer not null,
  -- It is not there any more. Whether the meeting is called off is known when all calendars have been read: it may have been moved.
  gone_at timestamptz(3),
  primary key (organization_id, account_id, calendar_id, event_id)
);
call tenant_table('calendar_copy');
create index calendar_copy_uid_idx on calendar_copy (organization_id, uid, occurrence);
create index calendar_copy_series_id_idx on calendar_copy (organization_id, account_id, series_id) where series_id is not null;
create index calendar_copy_gone_at_idx on calendar_copy (organization_id, account_id) where gone_at is not null;
-- Which accounts have calendars to be followed, for who looks whether somebody does.
create index connected_account_calendar_status_idx on connected_account (calendar_status) where calendar_status <> 'disabled';
