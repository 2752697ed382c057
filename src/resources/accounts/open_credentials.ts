// The stored credentials of a service with its secrets in clear, for the code that calls that service.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { credential } from "./credential.ts";

type Credential = Row<typeof credential>;

export async function storedFor(ctx: Ctx, service: string): Promise<Credential | null> {
  return (await findRecords(ctx, credential, [sql`t.service = ${service}`]))[0] ?? null;
}

/** The same, opened. Null when nothing is stored. No response shows it. */
export async function credentialsOf(ctx: Ctx, service: string): Promise<Record<string, unknown> | null> {
  const stored = await storedFor(ctx, service);
  return stored === null ? null : openedValues(ctx, stored);
}

/** All stored values, with secrets in clear. */
export function openedValues(ctx: Ctx, stored: Credential | null): Record<string, unknown> {
  if (stored === null) return {};
  const { organization_id, id, sealed_values } = stored;
  const place = { table: credential.table, column: "sealed_values", organization_id, id };
  return JSON.parse(ctx.settings.secrets.open(sealed_values, place));
}

/** How often it is written down that they still work. */
const verifiedEveryMs = 3_600_000;

/**
 * The service took them, or did not: admins see that with the credentials. Outside of any transaction, because it follows a request to
 * the service. Credentials that were changed meanwhile are left alone. A failure is passed over: what the service did counts for more.
 */
export async function noteAnswer({ db, now }: Ctx, stored: Credential, problem: string | null): Promise<void> {
  const { organization_id, id, version, last_error, last_verified_at } = stored;
  const isFresh = last_verified_at !== null && now.getTime() - Date.parse(last_verified_at) < verifiedEveryMs;
  if (problem === last_error && (problem !== null || isFresh)) return;
  const write = db.transaction(organization_id, async (tx) =>
    tx.write({
      name: "credential.answered",
      text: `update credential set last_error = $4, last_verified_at = case when $4::text is null then $5 else last_verified_at end
             where organization_id = $1 and id = $2 and version = $3`,
      values: [organization_id, id, version, problem, now],
    }),
  );
  await write.catch(() => {});
}
