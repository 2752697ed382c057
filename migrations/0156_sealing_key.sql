-- Which key the sealed values here are sealed with, so that a start with another one is noticed at once. It says nothing of the key itself.
create table sealing_key (
  one boolean primary key default true check (one),
  key_id text not null
);
