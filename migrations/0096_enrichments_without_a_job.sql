-- Enrichments that are not over, for the timer that gives a job to those without one.
create index enrichment_waiting_idx on enrichment (date_updated) where status in ('queued', 'running');
