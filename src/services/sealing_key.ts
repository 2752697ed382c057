// Whether the SECRET_KEY at hand is the one that sealed what lies in a database. With another one nothing sealed opens, and what it seals
// meanwhile opens with no other.
import type pg from "pg";
import { withClient } from "../db/one_client.ts";
import { name } from "../db/sql.ts";
import { type SealedColumn, sealedColumns } from "./sealed_columns.ts";
import type { Secrets } from "./secrets.ts";

/** The columns that there are: a database of an older release has fewer. */
export async function sealedHere(client: pg.ClientBase): Promise<SealedColumn[]> {
  const { rows } = await client.query<{ of: string }>(
    `select c.relname || '.' || a.attname as of from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped`,
  );
  const here = new Set(rows.map(({ of }) => of));
  return sealedColumns.filter(({ table, column }) => here.has(`${table}.${column}`));
}

/** What is sealed with other keys than ours, for people to read; null if nothing is. Reads all of it. */
export async function sealedByOthers(client: pg.ClientBase, ours: string | null): Promise<string | null> {
  const each = (await sealedHere(client)).map(
    ({ table, column }) =>
      `select split_part(${name(column).sql}, '.', 2) as key_id from ${name(table).sql} where ${name(column).sql} like 'v1.%'`,
  );
  // Nobody has begun the database.
  if (each.length === 0) return null;
  const { rows } = await client.query(
    `/* across organizations: the key is the service's */
     select key_id, count(*)::int as count from (${each.join(" union all ")}) k
     where key_id is distinct from $1 group by key_id order by count desc`,
    [ours],
  );
  return rows.length === 0 ? null : rows.map(({ key_id, count }) => `${count} with the key ${key_id}`).join(", ");
}

/** Throws if anything here is sealed with another key. Which one it is stands in a row of its own, so a start has one row to read. */
export async function refuseOtherKey(url: string, { key_id }: Secrets): Promise<void> {
  await withClient(url, "headwater", async (client) => {
    const { rows } = await client.query("select key_id from sealing_key");
    if (rows[0]?.key_id === key_id) return;
    const others = await sealedByOthers(client, key_id);
    if (others !== null) throw new Error(otherKey(others, key_id));
    await setSealingKey(client, key_id);
  });
}

export const otherKey = (others: string, ours: string): string =>
  `The secrets of this database are sealed with another SECRET_KEY (${others}; the one here is ${ours}): set SECRET_KEY to it, or leave it unset if the key lies in DATA_DIR. To change the key, set SECRET_KEY_OLD to it as well, and run \`headwater doctor --rotate-secret\`. If it is lost, see the drill "lost key".`;

export async function setSealingKey(client: pg.ClientBase, keyId: string): Promise<void> {
  await client.query("insert into sealing_key (key_id) values ($1) on conflict (one) do update set key_id = excluded.key_id", [
    keyId,
  ]);
}
