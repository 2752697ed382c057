// Sealed secrets that cannot be opened where an archive is restored. A secret without a value is removed with what it is for, and
// somebody has to give it again; everything else stays.
import { randomBytes } from "node:crypto";
import type pg from "pg";
import { sealedColumns } from "../services/sealed_columns.ts";
import type { Secrets } from "../services/secrets.ts";
import { quoted } from "./catalog.ts";

export async function leaveOutSecrets(client: pg.ClientBase, secrets: Secrets): Promise<void> {
  await renewWebhooks(client, secrets, null);
  for (const { table, column } of sealedColumns.filter(
    (one) => one.table !== "webhook" || one.column !== "sealed_signature_key",
  )) {
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
