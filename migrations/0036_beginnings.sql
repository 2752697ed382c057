-- What begins with three letters is found as one word of the index: leads and contacts keep the beginnings of their words, each with
-- the quarter. Written anew by every change of a record; here for those that are there already.
do $$
declare
  searched text;
begin
  foreach searched in array array['lead', 'contact']
  loop
    -- What is kept of a record's rendering stays true.
    execute format('alter table %I disable trigger user', searched);
    -- A word stands behind the eight letters of its organization's mark.
    execute format(
      $update$
        update %I set search = search || array_to_tsvector(array(
          select distinct left(word, 8) || '^' || substr(word, 9, 3) ||
            case when date_created > date_updated then '@later' else to_char(date_created at time zone 'UTC', '"@"YYYY"q"Q') end
          from unnest(tsvector_to_array(search)) word where length(word) >= 11 and substr(word, 9, 1) <> '@'))
        where search is not null
      $update$, searched);
    execute format('alter table %I enable trigger user', searched);
  end loop;
end
$$;
