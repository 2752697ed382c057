-- Every minute the service looks which open quotes have come to their end.
create index quote_expires_at_idx on quote (expires_at) where status = 'open';
