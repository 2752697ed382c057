// The passkeys of people. They belong to no organization, as people do not.
import type { Database } from "../db/database.ts";
import { pgTimestamp } from "../values/time.ts";
import { hashOf } from "./unscoped.ts";

export interface Passkey {
  id: string;
  user_id: string;
  credential_id: string;
  /** Base64url. */
  public_key: string;
  counter: number;
  transports: readonly string[];
  name: string;
  /** A password manager keeps it on several devices. */
  backed_up: boolean;
  date_created: Date;
  last_used_at: Date | null;
}

const columns =
  "id, user_id, credential_id, public_key, counter, array_to_json(transports), name, backed_up, date_created, last_used_at";

const passkeyOf = (row: readonly (string | null)[]): Passkey => ({
  id: row[0]!,
  user_id: row[1]!,
  credential_id: row[2]!,
  public_key: row[3]!,
  counter: Number(row[4]),
  transports: JSON.parse(row[5]!),
  name: row[6]!,
  backed_up: row[7] === "t",
  date_created: new Date(pgTimestamp(row[8]!)),
  last_used_at: row[9] == null ? null : new Date(pgTimestamp(row[9])),
});

export async function passkeysOf(db: Database, userId: string): Promise<Passkey[]> {
  const rows = await db.unscoped({
    name: "passkey.list",
    text: `select ${columns} from passkey where user_id = $1 order by date_created`,
    values: [userId],
  });
  return rows.map(passkeyOf);
}

export async function findPasskey(db: Database, credentialId: string): Promise<Passkey | null> {
  const [row] = await db.unscoped({
    name: "passkey.find",
    text: `select ${columns} from passkey where credential_id = $1`,
    values: [credentialId],
  });
  return row === undefined ? null : passkeyOf(row);
}

/** How many a person may have. */
export const passkeysMost = 20;

/** Stores a new one. False when it is known already, or its person has as many as they may. */
export async function insertPasskey(db: Database, passkey: Omit<Passkey, "last_used_at">): Promise<boolean> {
  const { id, user_id, credential_id, public_key, counter, transports, name, backed_up, date_created } = passkey;
  const rows = await db.unscopedTransaction((tx) =>
    tx.read({
      text: `insert into passkey (id, user_id, credential_id, public_key, counter, transports, name, backed_up, date_created)
             select $1, $2, $3, $4, $5, $6, $7, $8, $9 where (select count(*) from passkey where user_id = $2) < $10
             on conflict do nothing returning 1`,
      values: [id, user_id, credential_id, public_key, counter, transports, name, backed_up, date_created, passkeysMost],
    }),
  );
  return rows.length > 0;
}

export const usePasskey = (db: Database, { id, counter, now }: { id: string; counter: number; now: Date }): Promise<void> =>
  db.unscopedTransaction(async (tx) =>
    tx.write({ text: "update passkey set counter = $2, last_used_at = $3 where id = $1", values: [id, counter, now] }),
  );

export const renamePasskey = (db: Database, userId: string, { id, name }: { id: string; name: string }): Promise<void> =>
  db.unscopedTransaction(async (tx) =>
    tx.write({ text: "update passkey set name = $3 where user_id = $1 and id = $2", values: [userId, id, name] }),
  );

export const removePasskey = (db: Database, userId: string, id: string): Promise<void> =>
  db.unscopedTransaction(async (tx) =>
    tx.write({ text: "delete from passkey where user_id = $1 and id = $2", values: [userId, id] }),
  );

/** Marks a question as answered. False when it was answered before. */
export async function takeChallenge(db: Database, challenge: string, expires: Date): Promise<boolean> {
  const rows = await db.unscopedTransaction((tx) =>
    tx.read({
      text: "insert into passkey_answer (hash, expires_at) values ($1, $2) on conflict do nothing returning 1",
      values: [hashOf(challenge), expires],
    }),
  );
  return rows.length > 0;
}
