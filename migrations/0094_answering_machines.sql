-- Calls of dialers that a machine answers, and the message that dialers leave there.
alter table dialer add column voicemail_drop_file_id text collate "C";
call reference('dialer', 'voicemail_drop_file_id', 'file');
alter table activity
  -- Null for a person, or where nobody knows.
  add column answered_by text,
  -- The provider's id of the phone that a machine has answered, until it is taken off the member.
  add column machine_leg text;
