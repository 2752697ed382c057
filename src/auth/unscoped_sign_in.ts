// How people sign in: their passwords, sessions and wrong attempts. A person is one in all organizations, so these tables belong to
// none. Secrets are stored as hashes.
import type { Database, Statement, Transaction } from "../db/database.ts";
import { emailKey } from "../values/email.ts";
import { pgTimestamp } from "../values/time.ts";
import { hashOf } from "./unscoped.ts";
import { type Remembering, revokeGrantsOf } from "./unscoped_oauth.ts";

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

/**
 * Stores a person's new password. With it end all their other sessions, all links to set a password, and all that they allowed to
 * applications: who knew the old password may have connected one.
 */
export const setPassword = (core: Remembering, userId: string, passwordHash: string, exceptSession: string): Promise<void> =>
  core.db.unscopedTransaction(async (tx) => {
    writePassword(tx, userId, passwordHash, core.clock());
    await endSignIns(tx, core, userId, exceptSession);
  });

/**
 * Stores the password that somebody chose over a link, by which they take their account back: then passkeys go, too. False when the link
 * was taken, or opens nothing any more.
 */
export async function setPasswordByLink(
  core: Remembering,
  userId: string,
  token: string,
  passwordHash: string,
): Promise<boolean> {
  const now = core.clock();
  return core.db.unscopedTransaction(async (tx) => {
    // Whoever makes them a member elsewhere locks them, too.
    await tx.read({ text: `select from "user" where id = $1 for no key update`, values: [userId] });
    const [link] = await tx.read({
      text: `/* across organizations: a person is a member of several */
             delete from password_link l where l.hash = $1 and l.user_id = $3 and l.expires_at > $2 and ${isOpen} returning l.seen_by`,
      values: [hashOf(token), now, userId],
    });
    if (link === undefined) return false;
    writePassword(tx, userId, passwordHash, now);
    tx.write({ text: `update "user" set vouched_by = $2 where id = $1`, values: [userId, link[0]] });
    tx.write({ text: "delete from passkey where user_id = $1", values: [userId] });
    await endSignIns(tx, core, userId, null);
    return true;
  });
}

async function endSignIns(tx: Transaction, core: Remembering, userId: string, exceptSession: string | null): Promise<void> {
  await revokeGrantsOf(tx, core, userId, core.clock());
  tx.write({ text: "delete from password_link where user_id = $1", values: [userId] });
  tx.write({ text: "delete from session where user_id = $1 and id is distinct from $2", values: [userId, exceptSession] });
}

/**
 * Before somebody becomes a member of an organization without signing in: ends what lets them in by the word of another organization
 * alone. True when there was any.
 */
export async function endUnprovenSignIn(
  tx: Transaction,
  core: Remembering,
  userId: string,
  organizationId: string | null,
): Promise<boolean> {
  const outside = tx.actingFor(null);
  const [unproven] = await outside.read({
    text: `update "user" set password_hash = null, sealed_totp_secret = null, totp_confirmed_at = null, vouched_by = null
           where id = $1 and vouched_by is distinct from $2 and vouched_by is not null returning 1`,
    values: [userId, organizationId],
  });
  if (unproven === undefined) return false;
  for (const table of ["passkey", "recovery_code"])
    outside.write({ text: `delete from ${table} where user_id = $1`, values: [userId] });
  await endSignIns(outside, core, userId, null);
  return true;
}

/** Whether only another organization vouches for the person's sign-in. */
export async function isVouchedElsewhere(db: Database, userId: string, organizationId: string): Promise<boolean> {
  const rows = await db.unscoped({
    name: "sign_in.vouched_elsewhere",
    text: `select from "user" where id = $1 and vouched_by <> $2`,
    values: [userId, organizationId],
  });
  return rows.length > 0;
}

export const writePassword = (tx: Transaction, userId: string, passwordHash: string, now: Date): void =>
  tx.write({
    text: `update "user" set password_hash = $2, date_updated = $3, version = version + 1 where id = $1`,
    values: [userId, passwordHash, now],
  });

/** Replaces the hash by one that takes more work; the password is the same. */
export const rehashPassword = (db: Database, userId: string, passwordHash: string): Promise<void> =>
  run(db, { text: `update "user" set password_hash = $2 where id = $1`, values: [userId, passwordHash] });

// --- links to set a password ---

interface NewLink {
  token: string;
  userId: string;
  now: Date;
  expires: Date;
  /** The organization that invited them, where it has seen the link: then it opens no account that is a member elsewhere. */
  seenBy?: string;
}

export const insertPasswordLink = (db: Database, link: NewLink): Promise<void> =>
  db.unscopedTransaction(async (tx) => writePasswordLink(tx, link));

export const writePasswordLink = (tx: Transaction, { token, userId, now, expires, seenBy }: NewLink): void =>
  tx.actingFor(null).write({
    text: "insert into password_link (hash, user_id, seen_by, date_created, expires_at) values ($1, $2, $3, $4, $5)",
    values: [hashOf(token), userId, seenBy ?? null, now, expires],
  });

const isOpen = `(l.seen_by is null or not exists (
  select from membership m where m.user_id = l.user_id and m.status = 'active' and m.organization_id <> l.seen_by))`;

/** The person that a link was made for, or null when it is unknown, used, too old, or opens nothing any more. */
export async function findPasswordLink(db: Database, token: string, now: Date): Promise<Person | null> {
  const [row] = await db.unscoped({
    name: "sign_in.password_link",
    text: `/* across organizations: a person is a member of several */
           select ${personColumns} from password_link l join "user" u on u.id = l.user_id
           where l.hash = $1 and l.expires_at > $2 and ${isOpen}`,
    values: [hashOf(token), now],
  });
  return row === undefined ? null : personOf(row);
}

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

export async function sessionsOf(db: Database, userId: string, now: Date): Promise<Session[]> {
  const rows = await db.unscoped({
    name: "sign_in.sessions",
    text: `select ${sessionColumns} from session s where s.user_id = $1 and not s.is_pending and s.expires_at > $2
           order by s.last_seen_at desc limit 100`,
    values: [userId, now],
  });
  return rows.map(sessionOf);
}

export const endSession = (db: Database, userId: string, id: string): Promise<void> =>
  run(db, { text: "delete from session where user_id = $1 and id = $2", values: [userId, id] });

export const endOtherSessions = (db: Database, userId: string, kept: string): Promise<void> =>
  run(db, { text: "delete from session where user_id = $1 and id <> $2", values: [userId, kept] });

// --- the second factor ---

export interface Totp {
  sealed_secret: string;
  is_confirmed: boolean;
  /** The last time step whose code was used. A code works once. */
  step: number;
}

export async function findTotp(db: Database, userId: string): Promise<Totp | null> {
  const [row] = await db.unscoped({
    name: "sign_in.totp",
    text: `select sealed_totp_secret, totp_confirmed_at is not null, coalesce(totp_step, 0) from "user" where id = $1`,
    values: [userId],
  });
  return row?.[0] == null ? null : { sealed_secret: row[0], is_confirmed: row[1] === "t", step: Number(row[2]) };
}

/** Stores a secret that counts only once a code of it was entered. */
export const proposeTotp = (db: Database, userId: string, sealedSecret: string): Promise<void> =>
  run(db, {
    text: `update "user" set sealed_totp_secret = $2, totp_step = null where id = $1 and totp_confirmed_at is null`,
    values: [userId, sealedSecret],
  });

/** Marks the code of a time step as used. False when it, or a later one, was used before. */
export async function takeTotpStep(db: Database, userId: string, step: number): Promise<boolean> {
  const rows = await db.unscopedTransaction((tx) =>
    tx.read({
      text: `update "user" set totp_step = $2 where id = $1 and coalesce(totp_step, 0) < $2 returning 1`,
      values: [userId, step],
    }),
  );
  return rows.length > 0;
}

/** From now on the second factor is asked for. The codes replace all earlier ones. */
export async function confirmTotp(db: Database, userId: string, recoveryCodes: readonly string[], now: Date): Promise<void> {
  await db.unscopedTransaction(async (tx) => {
    tx.write({ text: `update "user" set totp_confirmed_at = $2 where id = $1`, values: [userId, now] });
    tx.write({ text: "delete from recovery_code where user_id = $1", values: [userId] });
    tx.write({
      text: "insert into recovery_code (user_id, hash) select $1, * from unnest($2::text[])",
      values: [userId, recoveryCodes.map(hashOf)],
    });
  });
}

export async function removeTotp(db: Database, userId: string): Promise<void> {
  await db.unscopedTransaction(async (tx) => {
    tx.write({
      text: `update "user" set sealed_totp_secret = null, totp_confirmed_at = null, totp_step = null where id = $1`,
      values: [userId],
    });
    tx.write({ text: "delete from recovery_code where user_id = $1", values: [userId] });
  });
}

/** Uses a recovery code up. False when it is none, or was used. */
export async function takeRecoveryCode(db: Database, userId: string, code: string, now: Date): Promise<boolean> {
  const rows = await db.unscopedTransaction((tx) =>
    tx.read({
      text: "update recovery_code set used_at = $3 where user_id = $1 and hash = $2 and used_at is null returning 1",
      values: [userId, hashOf(code), now],
    }),
  );
  return rows.length > 0;
}

// --- wrong attempts ---

/** Within a window, attempts beyond `free` are each followed by a pause that doubles. */
export interface AttemptLimit {
  free: number;
  windowSeconds: number;
}

/**
 * Counts an attempt as wrong before it is tried, so that many at once are not tried at all. Answers the seconds to wait, 0 when it may
 * be tried. A pause is no longer than the window: a longer one is from before the clock was set back.
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
             where f.blocked_until <= $2 or f.blocked_until > $2::timestamptz + make_interval(secs => $4) returning 1`,
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

/** An attempt was right, and another step follows: it was none of the wrong ones, and starts no pause. Those before it still count. */
export const takeAttemptBack = (db: Database, holders: readonly string[], now: Date): Promise<void> =>
  run(db, {
    text: `update sign_in_failure set failures = greatest(failures - 1, 0), blocked_until = least(blocked_until, $2)
           where holder = any($1)`,
    values: [holders, now],
  });

/** An attempt was right: it was none of the wrong ones of `address`, starts no pause there, and those of `account` are forgotten. */
export const forgetAttempts = (
  db: Database,
  { account, address, now }: { account: string; address: string; now: Date },
): Promise<void> =>
  db.unscopedTransaction(async (tx) => {
    tx.write({ text: "delete from sign_in_failure where holder = $1", values: [account] });
    tx.write({
      text: `update sign_in_failure set failures = greatest(failures - 1, 0), blocked_until = least(blocked_until, $2)
             where holder = $1`,
      values: [address, now],
    });
  });

const run = (db: Database, statement: Statement): Promise<void> => db.unscopedTransaction(async (tx) => tx.write(statement));
