// The first start: an empty database gets an organization, its admin and a key.
import { randomBytes } from "node:crypto";
import { hashPassword } from "../auth/password.ts";
import { createAccount, findOrCreateUser } from "../auth/unscoped.ts";
import { writePassword, writePasswordLink } from "../auth/unscoped_sign_in.ts";
import type { Config } from "../config.ts";
import { openDatabase } from "../db/pool.ts";
import { type Founded, foundOrganization } from "../resources/organization/found.ts";

/** How long the link works with which the first admin sets a password. */
const linkMs = 7 * 24 * 3600 * 1000;

interface First extends Founded {
  /** The secret of a link to set the admin's password; null when the configuration has one. */
  password_token: string | null;
}

/** The new organization, or null when there already is one. When two processes start at once, only one creates it. */
export async function bootstrap(databaseUrl: string, wanted: Config["bootstrap"], now: Date): Promise<First | null> {
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
      const token = wanted.password === null ? randomBytes(32).toString("base64url") : null;
      if (wanted.password !== null) writePassword(tx, userId, await hashPassword(wanted.password), now);
      if (token !== null) writePasswordLink(tx, { token, userId, now, expires: new Date(now.getTime() + linkMs) });
      const accountId = createAccount(tx, { name, ownerId: userId, now });
      const founded = foundOrganization(tx, {
        name,
        userId,
        accountId,
        keyName: "First key",
        keyText: wanted.api_key ?? undefined,
        now,
      });
      return { ...founded, password_token: token };
    });
  } finally {
    await db.close();
  }
}
