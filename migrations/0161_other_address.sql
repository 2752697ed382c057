alter table sequence add column other_address boolean not null default false;
alter table sequence add column thread_mode text collate "C" not null default 'new_thread';
