-- A member leaves a message in a call themselves.
alter table activity
  -- The provider's id of the phone of whoever was called, once they have answered.
  add column other_leg text,
  -- The message that the member leaves there.
  add column voicemail_drop_file_id text collate "C";
