-- What undoing a request needs beyond its events.

-- The rows that a request deleted, and what others lost with them.
create table kept_removal (
  organization_id text collate "C" not null references organization (id),
  request_id text collate "C" not null,
  kept json not null,
  date_created timestamptz(3) not null,
  primary key (organization_id, request_id)
);
call tenant_table('kept_removal');
create index kept_removal_date_created_idx on kept_removal (date_created);

-- The requests that a member named as one set of changes.
create table change_set_request (
  organization_id text collate "C" not null references organization (id),
  user_id text collate "C" not null,
  name text collate "C" not null,
  request_id text collate "C" not null,
  date_created timestamptz(3) not null,
  primary key (organization_id, name, user_id, request_id)
);
call tenant_table('change_set_request');
create index change_set_request_date_created_idx on change_set_request (date_created);
