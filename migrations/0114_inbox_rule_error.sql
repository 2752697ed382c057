-- Why an action of a rule was not carried out for the latest message that matched.
alter table inbox_rule add column latest_error text;
