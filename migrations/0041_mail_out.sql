-- Messages leave: who released them, that one is under way at this moment, and what the server of an e-mail said to each recipient.

alter table activity
  -- The member who put it into the outbox: it leaves in their name, by their rights when it does.
  add column released_by text collate "C",
  -- Noted before it is handed over and taken back with the receipt: found by another worker it says that nobody knows whether it left.
  add column sending_at timestamptz(3),
  -- Of an e-mail: what became of it for which recipients.
  add column receipts jsonb;
