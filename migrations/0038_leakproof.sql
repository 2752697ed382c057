-- Under row-level security a condition is looked up in an index only if its function is known to give nothing of a row away, be it in
-- an error. Of the ones below PostgreSQL does not know it, so that searches and filters read every row of every organization; none
-- fails on what a row holds. Only a superuser may say so: `headwater doctor` tells where it has not been said.
create function leaky_functions() returns setof regprocedure
  language sql stable
begin atomic
  select oid::regprocedure from pg_proc
  where not proleakproof and oid = any (array[
    'ts_match_vq(tsvector, tsquery)', 'jsonb_contains(jsonb, jsonb)', 'arraycontains(anyarray, anyarray)', 'arrayoverlap(anyarray, anyarray)',
    'public.sort_key(text)'
  ]::regprocedure[]);
end;

do $$
declare
  leaky regprocedure;
begin
  for leaky in select * from leaky_functions() loop
    execute format('alter function %s leakproof', leaky);
  end loop;
exception when insufficient_privilege then null;
end
$$;
