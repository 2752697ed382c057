// Deletes what is over of OAuth and sign-in: tokens, requests, grants, sessions, links, and clients that nobody ever allowed anything.
import type { Database } from "../db/database.ts";

const batch = 1000;
const weekMs = 7 * 24 * 3600 * 1000;
/** What ended stays for a while, so that a person still sees what was connected. */
const grantMs = 30 * 24 * 3600 * 1000;

/** The conditions under which rows of a table go; `$1` is now, `$2` a week ago, `$3` a month ago. */
const over: readonly { table: string; key: string; when: string }[] = [
  { table: "oauth_artifact", key: "hash", when: "expires_at < $1" },
  { table: "client_grant", key: "id", when: "expires_at < $3" },
  { table: "oauth_client", key: "id", when: "used_at is null and date_created < $2" },
  {
    table: "oauth_artifact",
    key: "hash",
    when: "model = 'RegistrationAccessToken' and not exists (select from oauth_client c where c.id = payload->>'clientId')",
  },
  { table: "session", key: "hash", when: "expires_at < $1" },
  { table: "password_link", key: "hash", when: "expires_at < $1" },
  { table: "passkey_answer", key: "hash", when: "expires_at < $1" },
  { table: "sign_in_failure", key: "holder", when: "expires_at < $1" },
];

/** A batch at a time, each in a transaction of its own. */
export async function dropExpired(db: Database, now: Date): Promise<void> {
  const moments = [now, new Date(now.getTime() - weekMs), new Date(now.getTime() - grantMs)];
  for (const { table, key, when } of over) {
    let dropped = batch;
    while (dropped === batch) dropped = await dropBatch(db, table, key, when, moments);
  }
}

async function dropBatch(db: Database, table: string, key: string, when: string, moments: readonly Date[]): Promise<number> {
  const rows = await db.unscopedTransaction((tx) =>
    tx.read({
      text: `with moments as (select $1::timestamptz, $2::timestamptz, $3::timestamptz)
             delete from ${table} t using (select ${key} from ${table} where ${when} limit ${batch} for update skip locked) old
             where t.${key} = old.${key} returning 1`,
      values: [...moments],
    }),
  );
  return rows.length;
}
