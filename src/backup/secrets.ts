// Sealed secrets that cannot be opened where an archive is restored. A secret without a value is removed with what it is for, and
// somebody has to give it again; everything else stays.
import { randomBytes } from "node:crypto";
import type pg from "pg";
import type { SealedColumn } from "../services/sealed_columns.ts";
import { sealedHere } from "../services/sealing_key.ts";
import type { Secrets } from "../services/secrets.ts";
import { quoted } from "./catalog.ts";

/** A secret that is not there any more, and what somebody has to do about it. */
export interface LostSecret {
  /** Empty for a person's own. */
  organization_id: string;
  table: string;
  id: string;
  /** How people know what it was for. */
  name: string;
  todo: string;
}

/** Returns what has to be entered again. */
export async function leaveOutSecrets(client: pg.ClientBase, secrets: Secrets): Promise<LostSecret[]> {
  const lost: LostSecret[] = [];
  const columns = await sealedHere(client);
  for (const one of columns) if (one.lost !== null) lost.push(...(await lostOf(client, one, one.lost)));
  await renewWebhooks(client, secrets, null);
  // An address whose secret is unknown cannot check its calls. Publishing the automation again makes a new one.
  await client.query("update automation set hook_hash = null where hook_hash is not null");
  for (const { table, column } of columns.filter((one) => one.table !== "webhook" || one.column !== "sealed_signature_key")) {
    const { rows } = await client.query(
      "select attnotnull as needed from pg_attribute where attrelid = $1::text::regclass and attname = $2",
      [quoted(table), column],
    );
    await client.query(
      rows[0].needed
        ? `delete from ${quoted(table)}`
        : `update ${quoted(table)} set ${quoted(column)} = null where ${quoted(column)} is not null`,
    );
  }
  return lost;
}

/** In an archive without secrets their columns are empty, which says that one was there. */
async function lostOf(client: pg.ClientBase, { table, column }: SealedColumn, todo: string): Promise<LostSecret[]> {
  const { rows } = await client.query(
    `select coalesce(j->>'organization_id', '') as organization_id, coalesce(j->>'id', j->>'account_id') as id,
       coalesce(j->>'email', j->>'url', j->>'name', j->>'service', j->>'automation_id', j->>'provider') as name
     from ${quoted(table)} t cross join to_jsonb(t) j where ${quoted(column)} is not null order by 1, 2`,
  );
  return rows.map((row) => ({ ...row, table, todo }));
}
const hasNewKey = "It has a new signing key since a restore without secrets: give it to the receiver, and activate the webhook";

/** A webhook needs a signing key. It gets a new one, and waits until its receiver has it. */
export async function renewWebhooks(client: pg.ClientBase, secrets: Secrets, organizationId: string | null): Promise<void> {
  const { rows } = await client.query("select organization_id, id from webhook where $1::text is null or organization_id = $1", [
    organizationId,
  ]);
  for (const { organization_id, id } of rows) {
    const place = { table: "webhook", column: "sealed_signature_key", organization_id, id };
    const sealed = secrets.seal(`whsec_${randomBytes(32).toString("base64")}`, place);
    await client.query(
      `update webhook set sealed_signature_key = $3, status = 'paused', pause_reason = 'api', latest_error = $4
       where organization_id = $1 and id = $2`,
      [organization_id, id, sealed, hasNewKey],
    );
  }
}
