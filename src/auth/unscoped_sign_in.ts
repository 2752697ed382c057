// How people sign in: their passwords, sessions and wrong attempts. A person is one in all organizations, so these tables belong to
// none. Secrets are stored as hashes.
import type { Database, Statement } from "../db/database.ts";
import { emailKey } from "../values/email.ts";
import { pgTimestamp } from "../values/time.ts";
import { hashOf } from "./unscoped.ts";

// --- people ---

export interface Person {
  id: string;
  email: string;
  name: string;
  password_hash: string | null;
  /** They have a second factor. */
  has_totp: boolean;
}

const personColumns = `u.id, u.email, trim(u.first_name || ' ' || u.last_name), u.password_hash, u.totp_confirmed_at is not null`;

const personOf = (row: readonly (string | null)[]): Person => ({
  id: row[0]!,
  email: row[1]!,
  name: row[2] || row[1]!,
  password_hash: row[3]!,
  has_totp: row[4] === "t",
});

export async function findPerson(db: Database, by: { email: string } | { id: string }): Promise<Person | null> {
  const [column, value] = "email" in by ? ["email_key", emailKey(by.email.trim())] : ["id", by.id];
  const [row] = await db.unscoped({
    name: `sign_in.person_by_${column}`,
    text: `select ${personColumns} from "user" u where u.${column} = $1`,
    values: [value],
  });
  return row === undefined ? null : personOf(row);
}

/** Replaces the hash by one that takes more work; the password is the same. */
export const rehashPassword = (db: Database, userId: string, passwordHash: string): Promise<void> =>
  run(db, { text: `update "user" set password_hash = $2 where id = $1`, values: [userId, passwordHash] });

// --- sessions ---

export interface Session {
  id: string;
  user_id: string;
  methods: readonly string[];
  is_pending: boolean;
  ip: string;
  user_agent: string;
  date_created: Date;
  last_seen_at: Date;
  confirmed_at: Date;
}

export interface NewSession {
  id: string;
  user_id: string;
  methods: readonly string[];
  is_pending: boolean;
  ip: string;
  user_agent: string;
  now: Date;
  expires_at: Date;
}

/** Stores a session, in place of the one that it follows. */
export async function insertSession(db: Database, token: string, given: NewSession, replaced: string | null): Promise<void> {
  await db.unscopedTransaction(async (tx) => {
    if (replaced !== null) tx.write({ text: "delete from session where hash = $1", values: [hashOf(replaced)] });
    tx.write({
      text: `insert into session (hash, id, user_id, methods, is_pending, ip, user_agent, date_created, last_seen_at, confirmed_at, expires_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $8, $9)`,
      values: [
        hashOf(token),
        given.id,
        given.user_id,
        given.methods,
        given.is_pending,
        given.ip,
        given.user_agent,
        given.now,
        given.expires_at,
      ],
    });
  });
}

const sessionColumns =
  "s.id, s.user_id, array_to_json(s.methods), s.is_pending, s.ip, s.user_agent, s.date_created, s.last_seen_at, s.confirmed_at";

const sessionOf = (row: readonly (string | null)[]): Session => ({
  id: row[0]!,
  user_id: row[1]!,
  methods: JSON.parse(row[2]!),
  is_pending: row[3] === "t",
  ip: row[4]!,
  user_agent: row[5]!,
  date_created: new Date(pgTimestamp(row[6]!)),
  last_seen_at: new Date(pgTimestamp(row[7]!)),
  confirmed_at: new Date(pgTimestamp(row[8]!)),
});

/** The session of a browser with its person, unless it is over or was not used since `idleSince`. */
export async function findSession(
  db: Database,
  token: string,
  { now, idleSince }: { now: Date; idleSince: Date },
): Promise<{ session: Session; person: Person } | null> {
  const [row] = await db.unscoped({
    name: "sign_in.session",
    text: `select ${sessionColumns}, ${personColumns} from session s join "user" u on u.id = s.user_id
           where s.hash = $1 and s.expires_at > $2 and s.last_seen_at > $3`,
    values: [hashOf(token), now, idleSince],
  });
  return row === undefined ? null : { session: sessionOf(row), person: personOf(row.slice(9)) };
}

export const touchSession = (db: Database, id: string, now: Date): Promise<void> =>
  run(db, { text: "update session set last_seen_at = greatest(last_seen_at, $2) where id = $1", values: [id, now] });

// --- wrong attempts ---

/** Within a window, attempts beyond `free` are each followed by a pause that doubles. */
export interface AttemptLimit {
  free: number;
  windowSeconds: number;
}

/**
 * Counts an attempt as wrong before it is tried, so that many at once are not tried at all. Answers the seconds to wait, 0 when it may
 * be tried.
 */
export async function countAttempt(
  db: Database,
  holder: string,
  { free, windowSeconds }: AttemptLimit,
  now: Date,
): Promise<number> {
  const rows = await db.unscopedTransaction((tx) =>
    tx.read({
      text: `insert into sign_in_failure as f (holder, failures, blocked_until, expires_at)
             values ($1, 1, $2::timestamptz, $2::timestamptz + make_interval(secs => $4))
             on conflict (holder) do update set
               failures = case when f.expires_at <= $2 then 1 else f.failures + 1 end,
               blocked_until = case when f.expires_at <= $2 or f.failures < $3 - 1 then $2
                                    else $2 + make_interval(secs => least($4, 2 ^ least(f.failures - $3 + 1, 20))) end,
               expires_at = $2::timestamptz + make_interval(secs => $4)
             where f.blocked_until <= $2 returning 1`,
      values: [holder, now, free, windowSeconds],
    }),
  );
  if (rows.length > 0) return 0;
  const [row] = await db.unscoped({
    name: "sign_in.blocked",
    text: "select ceil(extract(epoch from blocked_until - $2)) from sign_in_failure where holder = $1",
    values: [holder, now],
  });
  return Math.max(1, Number(row?.[0] ?? 1));
}

export const forgetAttempts = (db: Database, holders: readonly string[]): Promise<void> =>
  run(db, { text: "delete from sign_in_failure where holder = any($1)", values: [holders] });

const run = (db: Database, statement: Statement): Promise<void> => db.unscopedTransaction(async (tx) => tx.write(statement));
