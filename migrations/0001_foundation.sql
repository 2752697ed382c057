-- What every table stands on: extensions, and the helpers that the other files call.

create extension if not exists unaccent;
create extension if not exists btree_gin;
create extension if not exists pg_trgm;

-- The roles are there before the first migration, see `src/db/roles.ts`. With row-level security on, the service acts as
-- `headwater_app`, which sees the rows of one organization. What crosses organizations is read as `headwater_system`, which sees all.
grant usage on schema public to headwater_app, headwater_system;
grant select on migration to headwater_system;

-- The organization a connection acts for. A missing setting is an error, not an empty answer.
create function current_organization() returns text
  language sql stable parallel safe
  return current_setting('app.organization_id');

-- Gives a tenant table its policies and its grants. Called once for each table, right after it is created.
--
-- Tenant tables can be spread over several servers by organization, so that all rows of one lie on the same server. No server can then
-- check or change what lies on another: every key and unique index names the organization, references stay within it or lead to
-- `organization` and `user`, and triggers touch rows of the same organization only. A secret that is looked up before its organization is
-- known stands first in its index. Among all organizations it is unique because it is random.
create procedure tenant_table(table_name text)
  language plpgsql as $$
declare
  is_spread boolean := false;
begin
  execute format('create policy organization on %I to headwater_app using (organization_id = current_setting(''app.organization_id'')) with check (organization_id = current_setting(''app.organization_id''))', table_name);
  execute format('grant select, insert, update, delete on %I to headwater_app', table_name);
  call forced_row_security(table_name);
  -- Where the tables are spread already (`headwater distribute`), a new one comes beside them.
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute 'select exists (select from pg_dist_partition where logicalrelid = to_regclass(''membership''))' into is_spread;
  end if;
  if is_spread then
    execute format('select create_distributed_table(%L, ''organization_id'', colocate_with => ''membership'')', table_name);
  end if;
end $$;

-- What every table with a policy needs as well: the policies bind its owner too, and only the role of the system passes them.
create procedure forced_row_security(table_name text)
  language plpgsql as $$
begin
  execute format('alter table %I enable row level security, force row level security', table_name);
  execute format('create policy system on %I to headwater_system using (true) with check (true)', table_name);
  execute format('grant select, insert, update, delete on %I to headwater_system', table_name);
end $$;

-- A reference within the organization, with the index that lists who points at a record, newest first.
create procedure reference(table_name text, column_name text, target text, target_column text default 'id')
  language plpgsql as $$
begin
  execute format('alter table %1$I add constraint %2$I foreign key (organization_id, %3$I) references %4$I (organization_id, %5$I) deferrable initially immediate',
    table_name, table_name || '_' || column_name || '_fkey', column_name, target, target_column);
  execute format('create index %1$I on %2$I (organization_id, %3$I, date_created desc, id desc) where %3$I is not null',
    table_name || '_' || column_name || '_idx', table_name, column_name);
end $$;

-- A record's JSON is kept beside it in `rendered`. An update that does not bring a new rendering empties the column, so that a stale
-- rendering is never shown, whatever SQL changed the row.
create function forget_rendering() returns trigger
  language plpgsql as $$
begin
  if new.rendered is not distinct from old.rendered then
    new.rendered := null;
  end if;
  return new;
end $$;

-- Gives a table the column `rendered`. Rows stay in line up to a page: compressing or moving the text would cost more than it saves.
create procedure rendered_table(table_name text)
  language plpgsql as $$
begin
  execute format('alter table %I add column rendered text', table_name);
  execute format('alter table %I set (toast_tuple_target = 8160)', table_name);
  execute format('create trigger forget_rendering before update on %I for each row execute function forget_rendering()', table_name);
end $$;

-- Lets rows name each other in any order until the transaction ends, on the server where it is called.
create function defer_constraints() returns void
  language plpgsql as $$
begin
  set constraints all deferred;
end $$;

-- Text sorts alike on every server: lower case, without accents, by code point.
create function sort_key(value text) returns text
  language sql immutable parallel safe strict
  return lower(public.unaccent('public.unaccent'::regdictionary, value)) collate "C";

-- Under row-level security PostgreSQL looks a condition up in an index only if its function is marked leakproof: known to give nothing
-- of a row away, not even by an error. The functions below are not marked, so searches and filters would read every row of every
-- organization. None of them fails on what a row holds. Only a superuser may mark them; `headwater doctor` tells where that was not done.
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
