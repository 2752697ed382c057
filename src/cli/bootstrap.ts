// The first start: an empty database gets an organization, its admin and a key.

import { hashPassword } from "../auth/password.ts";
import { createAccount, findOrCreateUser } from "../auth/unscoped.ts";
import type { Config } from "../config.ts";
import { openDatabase } from "../db/pool.ts";
import { type Founded, foundOrganization } from "../resources/organization/found.ts";

/** The new organization, or null when there already is one. When two processes start at once, only one creates it. */
export async function bootstrap(databaseUrl: string, wanted: Config["bootstrap"], now: Date): Promise<Founded | null> {
  const db = openDatabase({ url: databaseUrl, rls: false, own: { connections: 1, heavy: 1 }, readConnections: 0 });
  try {
    return await db.unscopedTransaction(async (tx) => {
      await tx.read({ text: "select pg_advisory_xact_lock(7241006)", values: [] });
      const [row] = await tx.read({
        text: `select exists (select from organization) or exists (select from "user")`,
        values: [],
      });
      if (row![0] === "t") return null;

      const name = wanted.organization ?? "My organization";
      const userId = await findOrCreateUser(tx, { email: wanted.email, now });
      if (wanted.password !== null) {
        const hash = await hashPassword(wanted.password);
        tx.write({ text: `update "user" set password_hash = $2 where id = $1`, values: [userId, hash] });
      }
      const accountId = createAccount(tx, { name, ownerId: userId, now });
      return foundOrganization(tx, { name, userId, accountId, keyName: "First key", keyText: wanted.api_key ?? undefined, now });
    });
  } finally {
    await db.close();
  }
}
