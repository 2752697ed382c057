-- An automation adds people to a dialer: whether their lead waits there already is asked each time.
create index dialer_lead_waiting_idx on dialer_lead (organization_id, dialer_id, lead_id) where state = 'pending';
