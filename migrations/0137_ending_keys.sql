-- When the owner of an API key was told that it ends soon.
alter table api_key add column told_at timestamptz;
create index api_key_ending_idx on api_key (expires_at) where told_at is null and expires_at is not null;
