// Describes the schema of the database as one text. It is written to generated/schema.sql, so that a review shows each change.
import type pg from "pg";

/** Tables with their columns, constraints, indexes and policies, then functions and views, always in the same order. */
export async function describeSchema(client: pg.Client | pg.Pool): Promise<string> {
  const tables = await client.query(tablesQuery);
  const parts = tables.rows.map((row) => row.text as string);
  const others = await client.query(othersQuery);
  return `${[...parts, ...others.rows.map((row) => row.text as string)].join("\n\n")}\n`;
}

const tablesQuery = `
select format(E'create table %s (\\n%s\\n);%s', quote_ident(c.relname),
  (select string_agg(line, E',\\n' order by kind, place) from (
    select 0 as kind, a.attnum::text::int as place, format('  %s %s%s%s', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
      case when d.adbin is not null and a.attidentity = '' then ' default ' || pg_get_expr(d.adbin, d.adrelid) when a.attidentity <> '' then ' generated always as identity' else '' end,
      case when a.attnotnull then ' not null' else '' end) as line
    from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    union all
    select 1, row_number() over (order by k.contype desc, k.conname)::int, format('  constraint %s %s', quote_ident(k.conname), pg_get_constraintdef(k.oid))
    from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n'
  ) lines),
  coalesce((select string_agg(E'\\n' || pg_get_indexdef(i.indexrelid) || ';', '' order by ic.relname)
    from pg_index i join pg_class ic on ic.oid = i.indexrelid
    where i.indrelid = c.oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid)), '')
  || case when c.relforcerowsecurity then format(E'\\nalter table %s enable row level security, force row level security;', quote_ident(c.relname)) else '' end
  || coalesce((select string_agg(format(E'\\ncreate policy %s on %s to %s using (%s);', quote_ident(p.polname), quote_ident(c.relname),
      array_to_string(p.polroles::regrole[], ', '), pg_get_expr(p.polqual, p.polrelid)), '' order by p.polname)
    from pg_policy p where p.polrelid = c.oid), '')
  || coalesce((select string_agg(E'\\n' || pg_get_triggerdef(t.oid) || ';', '' order by t.tgname) from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal), '')
) as text
from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
order by c.relname`;

// Functions of extensions are left out.
const othersQuery = `
select text from (
  select 1 as kind, p.proname as name, pg_get_functiondef(p.oid) || ';' as text
  from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind in ('f', 'p')
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  union all
  select 2, c.relname, format(E'create view %s as\\n%s', quote_ident(c.relname), pg_get_viewdef(c.oid))
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'v'
    and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
) others order by kind, name`;
