-- Whether whoever made an export could see all leads: its file is for nobody who sees less.
alter table export add column saw_all_leads boolean not null default false;
