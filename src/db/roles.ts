// The roles of row-level security. Roles belong to the server and not to the database, and a restored dump does not contain them.
// So missing ones are created before every migration.
import type pg from "pg";

/**
 * Neither role can log in or owns anything. With row-level security on, the service acts as the first, which sees only the rows
 * of the organization it names. For work across organizations it acts as the second, which sees all.
 */
export const appRole = "headwater_app";
export const systemRole = "headwater_system";

/** Creates missing roles, or says what an administrator has to run. */
export async function ensureRoles(client: pg.ClientBase): Promise<void> {
  const statements = await missingRoles(client);
  if (statements.length === 0) return;
  try {
    for (const statement of statements) await client.query(statement);
  } catch {
    // Not allowed, or another process has created them.
  }
  const left = await missingRoles(client);
  if (left.length === 0) return;
  throw new Error(
    "The user of DATABASE_URL needs two roles that it may not make or take by itself. " +
      `Have an administrator of the server run this, and start again:\n\n${left.map((line) => `  ${line};`).join("\n")}\n`,
  );
}

/** The statements that are still needed for the roles and our user's rights: migrations and commands need the second role's policies. */
export async function missingRoles(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query(
    `select r.name, p.oid is not null as present, quote_ident(u.rolname) as me, u.rolinherit as inherits, v.newer,
       coalesce(pg_has_role(p.oid, 'usage') and pg_has_role(p.oid, case when v.newer then 'set' else 'member' end), false) as held
     from unnest($1::text[]) r(name)
     left join pg_roles p on p.rolname = r.name
     join pg_roles u on u.rolname = current_user
     cross join (select current_setting('server_version_num')::int >= 160000 as newer) v order by 1`,
    [[appRole, systemRole]],
  );
  const { me, inherits, newer } = rows[0];
  const wanted = rows.filter((row) => !row.held).map((row) => row.name);
  return [
    ...rows.filter((row) => !row.present).map((row) => `create role ${row.name} nologin`),
    ...(wanted.length > 0 ? [`grant ${wanted.join(", ")} to ${me}${newer ? " with inherit true, set true" : ""}`] : []),
    ...(wanted.length > 0 && !newer && !inherits ? [`alter role ${me} inherit`] : []),
  ];
}
