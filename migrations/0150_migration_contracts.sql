-- What a migration has taken away that the release before it had left alone; null where it only adds. An older release that finds only
-- migrations that add starts on the newer schema.
alter table migration add column contracts text;
