-- A budget of a connection holds for its application and person, who get another connection whenever the person consents again.
alter table budget
  add column client_id text,
  add column client_user_id text collate "C";
update budget b set client_id = g.client_id, client_user_id = g.user_id from client_grant g where g.id = b.holder_id;
