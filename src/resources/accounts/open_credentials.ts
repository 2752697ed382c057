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
