// The look-ups that happen before an organization is known. They run outside row-level security, and only they may:
// nothing else in the service reads across organizations.
import { createHash } from "node:crypto";
import type { PostgresDatabase } from "../db/pool.ts";

/** What a key's text leads to: the key, its member, and whether its organization's account is paid. */
export interface KeyRecord {
  organization_id: string;
  api_key_id: string;
  scopes: readonly string[];
  expires_at: string | null;
  user_id: string;
  membership_id: string;
  role_id: string;
  /** The permissions of a custom role; null for a built-in one. */
  role_permissions: readonly string[] | null;
  past_due: boolean;
}

/** SHA-256 of a key's text. The text has 256 random bits, so a slow hash would protect nothing. */
export const hashOf = (key: string): string => createHash("sha256").update(key).digest("hex");

/** The key with this hash, or null when there is none, or its member is not active. */
export async function findKey(db: PostgresDatabase, hash: string): Promise<KeyRecord | null> {
  const [row] = await db.unscoped({
    name: "auth.key",
    text: `select k.organization_id, k.id, array_to_json(k.scopes), k.expires_at, m.user_id, m.id, m.role_id, array_to_json(r.permissions), a.billing_status
           from api_key k
           join membership m on m.organization_id = k.organization_id and m.user_id = k.user_id
           join organization o on o.id = k.organization_id
           join account a on a.id = o.account_id
           left join role r on r.organization_id = m.organization_id and r.id = m.role_id
           where k.hash = decode($1, 'hex') and m.status = 'active'`,
    values: [hash],
  });
  if (row === undefined) return null;
  return {
    organization_id: row[0]!,
    api_key_id: row[1]!,
    scopes: JSON.parse(row[2]!),
    expires_at: row[3]!,
    user_id: row[4]!,
    membership_id: row[5]!,
    role_id: row[6]!,
    role_permissions: row[7] === null ? null : JSON.parse(row[7]!),
    past_due: row[8] === "past_due",
  };
}

/** Writes when keys were used last, all at once. Ids and times run in parallel. */
export async function writeLastUse(db: PostgresDatabase, ids: readonly string[], times: readonly string[]): Promise<void> {
  await db.unscopedTransaction(async (tx) => {
    tx.write({
      text: `update api_key k set last_used_at = u.at from unnest($1::text[], $2::timestamptz[]) u(id, at) where k.id = u.id`,
      values: [ids, times],
    });
  });
}
