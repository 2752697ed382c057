-- What a webhook is for, in its maker's words, and whether it is told of what bulk work does.
alter table webhook
  add column description text,
  add column include_bulk boolean not null default true;
