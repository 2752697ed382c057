-- What ends a subscription, or holds it, besides a reply by mail and a meeting.
alter table sequence add column stop_rules jsonb, add column out_of_office jsonb;
