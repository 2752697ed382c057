-- What a row of an import is found by, and what it says that others are found by, as hashes. A dry run tries rows together that share them.
alter table import_row
  add column seeks bigint[],
  add column says bigint[];
-- A dry run that is on its way begins anew.
update import set trial = trial || '{"step": "label", "key": "", "n": 0}', preview = null where trial is not null;
