-- What every table stands on: extensions and the helpers that later migrations call.

create extension if not exists unaccent;
create extension if not exists btree_gin;
create extension if not exists pg_trgm;

-- With row-level security on, the service acts as this role, which `src/db/roles.ts` has made.
grant usage on schema public to headwater_app;

-- Text sorts alike on every server: lower case, without accents, by code point.
create function sort_key(value text) returns text
  language sql immutable parallel safe strict
  return lower(public.unaccent('public.unaccent'::regdictionary, value)) collate "C";

-- The organization a connection acts for. A missing setting is an error, not an empty answer.
create function current_organization() returns text
  language sql stable parallel safe
  return current_setting('app.organization_id');

-- Gives a tenant table its policy and its grants. Called once for each table, right after it is created.
create procedure tenant_table(table_name text)
  language plpgsql as $$
begin
  execute format('alter table %I enable row level security', table_name);
  execute format('create policy organization on %I using (organization_id = current_setting(''app.organization_id'')) with check (organization_id = current_setting(''app.organization_id''))', table_name);
  execute format('grant select, insert, update, delete on %I to headwater_app', table_name);
end $$;

-- A composite reference within the organization, with the index that lists who points at a record, newest first.
create procedure reference(table_name text, column_name text, target text, target_column text default 'id')
  language plpgsql as $$
begin
  execute format('alter table %1$I add constraint %2$I foreign key (organization_id, %3$I) references %4$I (organization_id, %5$I) deferrable initially immediate',
    table_name, table_name || '_' || column_name || '_fkey', column_name, target, target_column);
  execute format('create index %1$I on %2$I (organization_id, %3$I, date_created desc, id desc) where %3$I is not null',
    table_name || '_' || column_name || '_idx', table_name, column_name);
end $$;

-- A record's JSON is kept beside it in `rendered`. Any update that does not bring a new rendering empties it, so that whatever
-- SQL changes a row, a stale rendering is never shown.
create function forget_rendering() returns trigger
  language plpgsql as $$
begin
  if new.rendered is not distinct from old.rendered then
    new.rendered := null;
  end if;
  return new;
end $$;

-- Gives a table the column `rendered`. Rows stay in line up to a page: compressing or moving the text away would cost more than it saves.
create procedure rendered_table(table_name text)
  language plpgsql as $$
begin
  execute format('alter table %I add column rendered text', table_name);
  execute format('alter table %I set (toast_tuple_target = 8160)', table_name);
  execute format('create trigger forget_rendering before update on %I for each row execute function forget_rendering()', table_name);
end $$;
