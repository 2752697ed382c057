-- A step that is tried again by hand counts on: what it was tried before, so that its pauses begin anew.
alter table automation_run add column attempts_before integer not null default 0;
