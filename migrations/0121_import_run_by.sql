-- An import goes on in the name of whoever set its mapping or resumed it last, so that it does not end with its author's membership.
alter table import add column run_by text;
