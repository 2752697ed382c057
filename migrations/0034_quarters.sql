-- Text search finds the newest of many records by the quarter they were made in, which stands among their words.
-- Written anew by every change of a record; here for those that are there already.
do $$
declare
  searched text;
begin
  foreach searched in array array['lead', 'contact', 'opportunity', 'product', 'activity', 'custom_object', 'conversation', 'file', 'quote', 'project', 'project_task']
  loop
    -- What is kept of a record's rendering stays true.
    execute format('alter table %I disable trigger user', searched);
    execute format(
      $update$
        update %I set search = search || array_to_tsvector(array[right(organization_id, 8) ||
          case when date_created > date_updated then '@later' else to_char(date_created at time zone 'UTC', '"@"YYYY"q"Q') end])
        where search is not null
      $update$, searched);
    execute format('alter table %I enable trigger user', searched);
  end loop;
end
$$;
