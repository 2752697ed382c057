-- Row-level security holds for the owner of the tables too. What lies across organizations is read as `headwater_system`, whose policy
-- lets it see every row; migrations and commands have that role's rights. Both roles are there before the first migration, see
-- `src/db/roles.ts`.
grant usage on schema public to headwater_system;

-- Gives a tenant table its policies and its grants. Called once for each table, right after it is created.
create or replace procedure tenant_table(table_name text)
  language plpgsql as $$
begin
  execute format('create policy organization on %I to headwater_app using (organization_id = current_setting(''app.organization_id'')) with check (organization_id = current_setting(''app.organization_id''))', table_name);
  execute format('grant select, insert, update, delete on %I to headwater_app', table_name);
  call forced_row_security(table_name);
end $$;

-- What every table with a policy has besides: nobody is excepted but the role of the system.
create procedure forced_row_security(table_name text)
  language plpgsql as $$
begin
  execute format('alter table %I enable row level security, force row level security', table_name);
  execute format('create policy system on %I to headwater_system using (true) with check (true)', table_name);
  execute format('grant select, insert, update, delete on %I to headwater_system', table_name);
end $$;

do $$
declare
  present record;
begin
  for present in select c.relname, p.polname from pg_policy p join pg_class c on c.oid = p.polrelid and c.relnamespace = 'public'::regnamespace loop
    execute format('alter policy %I on %I to headwater_app', present.polname, present.relname);
    call forced_row_security(present.relname);
  end loop;
end $$;

grant select, insert, update, delete on stored_bytes_removal to headwater_system;
grant select on migration, member, stored_event to headwater_system;
