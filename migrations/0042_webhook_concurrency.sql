-- So many deliveries are sent at once: none while nothing but probes is sent, and then one more with each that is taken.
alter table webhook add column concurrency integer not null default 16;
