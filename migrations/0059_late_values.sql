-- A deleted field may still be known to a request that writes a value of it. A change stays after it has removed all values, so that no
-- reader sees such a value, and looks for them once more.

alter table custom_data_change add column removed boolean not null default false;
