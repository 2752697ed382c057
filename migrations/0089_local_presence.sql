-- Dialers that call from the number nearest to whoever is called.
alter table dialer add column caller_id_mode text not null default 'fixed';
