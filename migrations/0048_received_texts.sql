-- What a provider has told us of already: it tells again what it has not heard our answer to.
create table received_text (
  organization_id text collate "C" not null references organization (id),
  provider_id text collate "C" not null,
  date_created timestamptz(3) not null,
  primary key (organization_id, provider_id)
);
call tenant_table('received_text');
