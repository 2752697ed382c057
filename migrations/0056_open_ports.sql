-- Ports that are under way are looked at by the clock.
create index port_open_idx on port (submitted_at) where status in ('submitted', 'in_process', 'exception', 'foc_date_confirmed');
