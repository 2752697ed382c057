-- Who matched the query of a sequence when it was written, and has matched ever since: only contacts that begin to match get in. Those who
-- match queries that are there already have got in.
create table sequence_matched (
  organization_id text collate "C" not null references organization (id),
  sequence_id text collate "C" not null,
  contact_id text collate "C" not null,
  primary key (organization_id, sequence_id, contact_id)
);
call tenant_table('sequence_matched');
