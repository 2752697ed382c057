-- What was found about the file of an import: its format, encoding, delimiter and sheet.
alter table import add column dialect jsonb;
