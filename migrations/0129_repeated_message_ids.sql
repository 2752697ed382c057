-- What a message says of itself beside its identity. Two that differ in it are two, although they have one Message-ID.
alter table mail_identity add column fingerprint text;
