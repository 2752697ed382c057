-- A dialer counts the leads that were called, no longer those that it has returned and nobody has called yet.
update dialer d set n_called = d.n_called - open.n
  from (select organization_id, dialer_id, count(*) as n from dialer_lead where state in ('leased', 'dialing') group by 1, 2) open
  where open.organization_id = d.organization_id and open.dialer_id = d.id and d.status <> 'done' and d.n_called >= open.n;
