-- Why sharing many contacts failed as a whole.
alter table share_bulk add column error text;
