// Changes the key that secrets are sealed with. Each value is opened with the old key and sealed with the new one, in batches,
// one organization after the other. A value itself shows which key sealed it, so an interrupted change can be resumed.
import type pg from "pg";
import { name } from "../db/sql.ts";
import { type SealedColumn, sealedColumns } from "./sealed_columns.ts";
import { setSealingKey } from "./sealing_key.ts";
import type { Secrets } from "./secrets.ts";

const batchSize = 500;

/** Returns how many values were sealed again. Every sealed value must be sealed with one of the two keys. */
export async function rotateSecrets(client: pg.ClientBase, from: Secrets, to: Secrets, size = batchSize): Promise<number> {
  let count = 0;
  const { rows: organizations } = await client.query("select id from organization order by id");
  // What belongs to a person comes once, as of no organization.
  for (const { id } of [...organizations, { id: null }]) {
    for (const column of sealedColumns.filter(({ key }) => key.includes("organization_id") === (id !== null))) {
      for (let done = size; done === size; count += done) done = await rotateBatch(client, id, column, from, to, size);
    }
  }
  await setSealingKey(client, to.key_id);
  return count;
}

async function rotateBatch(
  client: pg.ClientBase,
  organizationId: string | null,
  of: SealedColumn,
  from: Secrets,
  to: Secrets,
  size: number,
): Promise<number> {
  const [table, column] = [name(of.table).sql, name(of.column).sql];
  const within = organizationId === null ? "$1::text is null" : "organization_id = $1";
  const wanted = [...of.key, ...(of.besides ?? [])];
  const keys = of.key.filter((one) => one !== "organization_id");
  await client.query("begin");
  try {
    const { rows } = await client.query(
      `select ${wanted.map((one) => `${name(one).sql}`).join(", ")}, ${column} as sealed from ${table}
       where ${within} and ${column} is not null and split_part(${column}, '.', 2) <> $2
       order by ${keys.map((one) => name(one).sql).join(", ")} limit ${size} for update`,
      [organizationId, to.key_id],
    );
    const sealed = rows.map((row) => to.seal(opened(of, row, from), of.place(row)));
    if (rows.length > 0)
      await client.query(
        `update ${table} t set ${column} = n.sealed from unnest($2::text[], ${keys.map((_, i) => `$${i + 3}::text[]`).join(", ")})
           n(sealed, ${keys.map((_, i) => `k${i}`).join(", ")})
         where ${within.replace("organization_id", "t.organization_id")} and ${keys.map((one, i) => `t.${name(one).sql} = n.k${i}`).join(" and ")}`,
        [organizationId, sealed, ...keys.map((key) => rows.map((row) => row[key]))],
      );
    await client.query("commit");
    return rows.length;
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

function opened(of: SealedColumn, row: Record<string, string>, from: Secrets): string {
  try {
    return from.open(row.sealed!, of.place(row));
  } catch (error) {
    const which = of.key.map((key) => row[key]).join(" ");
    throw new Error(`${of.table}.${of.column} of ${which} cannot be opened: ${(error as Error).message}`);
  }
}
