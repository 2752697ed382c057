-- Passkeys: whether one is kept on several devices, and the questions that were answered, so that no answer counts twice.
alter table passkey add column backed_up boolean not null default false;

create table passkey_answer (
  hash text primary key,
  expires_at timestamptz(3) not null
);
create index passkey_answer_expires_at_idx on passkey_answer (expires_at);

call forced_row_security('passkey_answer');
