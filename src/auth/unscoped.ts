// What lies across organizations: who a key belongs to, who a person is, and what is theirs elsewhere. These statements run as
// `headwater_system`, whose policy sees every row, and only they may: nothing else reads or writes beyond the organization it acts for.
//
// A statement that asks the tables of all organizations begins with a comment that says so and why; on a cluster it goes to every machine.
// Such a statement only reads: rows are locked and changed by statements that name their organization, one organization after the other.
import { createHash } from "node:crypto";
import { type Ctx, transactionOf } from "../core/context.ts";
import { announcements } from "../core/directory.ts";
import type { Database, Rows, Statement, Transaction } from "../db/database.ts";
import type { PostgresDatabase } from "../db/pool.ts";
import { emailKey } from "../values/email.ts";
import { newId, randomId } from "../values/id.ts";
import { pgTimestamp } from "../values/time.ts";

// --- keys ---

/** What a key's text leads to: the key, its member, and whether its organization's account is paid. */
export interface KeyRecord {
  organization_id: string;
  api_key_id: string;
  scopes: readonly string[];
  expires_at: string | null;
  user_id: string;
  membership_id: string;
  role_id: string;
  /** The permissions that are stored with the role; code knows those of the built-in ones. */
  role_permissions: readonly string[];
  past_due: boolean;
}

/** SHA-256 of a key's text. The text has 256 random bits, so a slow hash would protect nothing. */
export const hashOf = (key: string): string => createHash("sha256").update(key).digest("hex");

/** The key with this hash, or null when there is none, or its member is not active. */
export async function findKey(db: Database, hash: string): Promise<KeyRecord | null> {
  const [row] = await db.unscoped({
    name: "auth.key",
    text: `/* across organizations: a key does not say whose it is */
           select k.organization_id, k.id, array_to_json(k.scopes), k.expires_at, m.user_id, m.id, m.role_id, array_to_json(r.permissions), a.billing_status
           from api_key k
           join membership m on m.organization_id = k.organization_id and m.user_id = k.user_id
           join role r on r.organization_id = m.organization_id and r.id = m.role_id
           join organization o on o.id = k.organization_id
           join account a on a.id = o.account_id
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
    role_permissions: JSON.parse(row[7]!),
    past_due: row[8] === "past_due",
  };
}

export interface Use {
  organization_id: string;
  api_key_id: string;
  at: Date;
}

/**
 * Writes when keys were used last: a transaction for each organization, and in it the keys in the order of their ids, so that two
 * processes cannot wait for each other.
 */
export async function writeLastUse(db: PostgresDatabase, uses: readonly Use[]): Promise<void> {
  const sorted = [...uses].sort((a, b) => (a.api_key_id < b.api_key_id ? -1 : 1));
  for (const [organizationId, ofOne] of Map.groupBy(sorted, (use) => use.organization_id))
    await db.transaction(organizationId, async (tx) =>
      tx.write({
        name: "auth.last_use",
        text: `update api_key k set last_used_at = greatest(k.last_used_at, u.at) from unnest($2::text[], $3::timestamptz[]) u(id, at)
               where k.organization_id = $1 and k.id = u.id`,
        values: [organizationId, ofOne.map((use) => use.api_key_id), ofOne.map((use) => use.at)],
      }),
    );
}

// --- people ---

/** The person with this address, created where there is none. Their id does not tell which of the two it was. */
export async function findOrCreateUser(
  tx: Transaction,
  person: { email: string; first_name?: string; last_name?: string; now: Date },
): Promise<string> {
  const email = person.email.trim();
  const [row] = await tx.actingFor(null).read({
    text: `insert into "user" (id, email, email_key, first_name, last_name, date_created, date_updated) values ($1, $2, $3, $4, $5, $6, $6)
           on conflict (email_key) do update set email_key = excluded.email_key returning id`,
    values: [randomId("user"), email, emailKey(email), person.first_name ?? "", person.last_name ?? "", person.now],
  });
  return row![0]!;
}

export interface MembershipAnywhere {
  id: string;
  organization_id: string;
  organization_name: string;
  role_id: string;
  role_name: string;
  role_permissions: string[];
  auto_record_calls: string;
  track_email_opens: boolean;
  past_due: boolean;
}

/** A person's active memberships, oldest first. */
export async function activeMembershipsOf(ctx: Ctx, userId: string): Promise<MembershipAnywhere[]> {
  const rows = await outside(ctx, {
    name: "auth.memberships",
    text: `/* across organizations: a person is a member of several */
           select m.id, m.organization_id, o.name, m.role_id, array_to_json(r.permissions), m.auto_record_calls, m.track_email_opens,
             a.billing_status, r.name
           from membership m
           join organization o on o.id = m.organization_id
           join account a on a.id = o.account_id
           join role r on r.organization_id = m.organization_id and r.id = m.role_id
           where m.user_id = $1 and m.status = 'active' order by m.date_created, m.id`,
    values: [userId],
  });
  return rows.map((row) => ({
    id: row[0]!,
    organization_id: row[1]!,
    organization_name: row[2]!,
    role_id: row[3]!,
    role_permissions: JSON.parse(row[4]!),
    auto_record_calls: row[5]!,
    track_email_opens: row[6] === "t",
    past_due: row[7] === "past_due",
    role_name: row[8]!,
  }));
}

export interface MembershipOfPerson {
  id: string;
  user_id: string;
  organization_id: string;
  organization_name: string;
  status: string;
}

/** All memberships of the person with this address: for commands. */
export async function membershipsWithEmail(db: Database, email: string): Promise<MembershipOfPerson[]> {
  const rows = await db.unscoped({
    text: `/* across organizations: a person is a member of several */
           select m.id, m.user_id, m.organization_id, o.name, m.status
           from "user" u join membership m on m.user_id = u.id join organization o on o.id = m.organization_id
           where u.email_key = $1 order by m.date_created, m.id`,
    values: [emailKey(email)],
  });
  return rows.map(
    ([id, user_id, organization_id, organization_name, status]) =>
      ({ id, user_id, organization_id, organization_name, status }) as MembershipOfPerson,
  );
}

/** The organizations that show a person's name: where they are, have been or are invited. */
export async function organizationsThatKnow(ctx: Ctx, userId: string): Promise<string[]> {
  const rows = await outside(ctx, {
    text: `/* across organizations: all that show a person's name */
           select organization_id from membership where user_id = $1`,
    values: [userId],
  });
  return rows.map((row) => row[0]!);
}

/** Lets nobody else decide at the same time about what a person owns or is a member of. */
export async function lockUser(ctx: Ctx, userId: string): Promise<void> {
  await outside(ctx, { text: `select from "user" where id = $1 for no key update`, values: [userId] });
}

// --- shared contacts ---

/** One of the contacts that are the same person, in one organization each. */
export interface SharedContact {
  share_id: string;
  organization_id: string;
  organization_name: string;
  contact_id: string;
  lead_id: string;
  lead_name: string;
  shared_at: string;
}

/** The contacts of shares, in the order they joined. In a transaction they are locked, one organization after the other. */
export async function contactsOfShares(ctx: Ctx, shareIds: readonly string[]): Promise<SharedContact[]> {
  const sharing = await outside(ctx, {
    text: `/* across organizations: a share has a contact in each */
           select distinct organization_id from contact where share_id = any($1) order by organization_id`,
    values: [shareIds],
  });
  const ofEach = await Promise.all(sharing.map(([organizationId]) => outside(ctx, contactsIn(ctx, organizationId!, shareIds))));
  const all = ofEach.flat().map(([share_id, organization_id, organization_name, contact_id, lead_id, lead_name, at]) => ({
    ...({ share_id, organization_id, organization_name, contact_id, lead_id, lead_name } as Record<string, string>),
    shared_at: pgTimestamp(at!),
  })) as SharedContact[];
  return all.sort((a, b) => (a.shared_at < b.shared_at ? -1 : a.shared_at > b.shared_at ? 1 : 0));
}

const contactsIn = (ctx: Ctx, organizationId: string, shareIds: readonly string[]): Statement => ({
  text: `select c.share_id, c.organization_id, o.name, c.id, c.lead_id, l.display_name, c.shared_at
         from contact c
         join organization o on o.id = c.organization_id
         join lead l on l.organization_id = c.organization_id and l.id = c.lead_id
         where c.organization_id = $1 and c.share_id = any($2) order by c.share_id ${ctx.tx === null ? "" : "for update of c"}`,
  values: [organizationId, shareIds],
});

// --- quotes ---

export interface PublicQuote {
  organization_id: string;
  id: string;
  created_by: string;
}

/** The quote whose page this is the hash of the secret of. */
export async function findPublicQuote(db: Database, hash: string): Promise<PublicQuote | null> {
  const [row] = await db.unscoped({
    name: "quote.public",
    text: `/* across organizations: the secret in a link does not say whose it is */
           select organization_id, id, created_by from quote where public_hash = $1`,
    values: [hash],
  });
  return row === undefined ? null : { organization_id: row[0]!, id: row[1]!, created_by: row[2]! };
}

/** Open quotes whose last day is over, or in its last hours somewhere: in the east it is tomorrow already. The oldest first. */
export async function quotesNearTheirEnd(db: Database, now: Date): Promise<(PublicQuote & { expires_at: string })[]> {
  const rows = await db.unscoped({
    name: "quote.near_end",
    text: `/* across organizations: whatever is due anywhere */
           select organization_id, id, created_by, expires_at from quote
           where status = 'open' and expires_at <= $1 order by expires_at limit 1000`,
    values: [now.toISOString().slice(0, 10)],
  });
  return rows.map((row) => ({ organization_id: row[0]!, id: row[1]!, created_by: row[2]!, expires_at: row[3]! }));
}

/** Meetings that began or ended and are not written down so, in whose name that is done with them. The oldest first. */
export async function meetingsDue(db: Database, now: Date): Promise<{ organization_id: string; id: string; by: string }[]> {
  const rows = await db.unscoped({
    name: "meeting.due",
    text: `/* across organizations: whatever is due anywhere */
           select organization_id, id, coalesce(user_id, created_by) from activity
           where _type = 'Meeting' and status in ('upcoming', 'in-progress') and starts_at <= $1
             and (status = 'upcoming' or ends_at <= $1) order by starts_at limit 1000`,
    values: [now],
  });
  return rows.map((row) => ({ organization_id: row[0]!, id: row[1]!, by: row[2]! }));
}

// --- accounts ---

export interface Account {
  id: string;
  past_due: boolean;
}

export async function accountsOwnedBy(tx: Transaction, userId: string): Promise<Account[]> {
  const rows = await tx.actingFor(null).read({
    text: "select id, billing_status from account where owner_id = $1 order by date_created, id",
    values: [userId],
  });
  return rows.map((row) => ({ id: row[0]!, past_due: row[1] === "past_due" }));
}

/** Says whether an account is paid, and answers its organizations; null where there is no such account. */
export async function setBilling(
  db: PostgresDatabase,
  accountId: string,
  status: "active" | "past_due",
): Promise<string[] | null> {
  return db.unscopedTransaction(async (tx) => {
    const found = await tx.read({
      text: "update account set billing_status = $2 where id = $1 returning id",
      values: [accountId, status],
    });
    if (found.length === 0) return null;
    const rows = await tx.read({
      text: "select id, pg_notify($2, id) from organization where account_id = $1",
      values: [accountId, announcements],
    });
    return rows.map((row) => row[0]!);
  });
}

/** A billing account owned by this person. */
export function createAccount(tx: Transaction, account: { name: string; ownerId: string; now: Date }): string {
  const id = newId("acct", account.now.getTime());
  tx.actingFor(null).write({
    text: "insert into account (id, name, owner_id, date_created) values ($1, $2, $3, $4)",
    values: [id, account.name, account.ownerId, account.now],
  });
  return id;
}

const outside = (ctx: Ctx, statement: Statement): Promise<Rows> =>
  ctx.tx === null ? ctx.db.unscoped(statement) : transactionOf(ctx).actingFor(null).read(statement);

// --- stored bytes ---

/** Bytes to be removed, and the organization whose file they were. */
export interface BytesToRemove {
  organization_id: string;
  storage_key: string;
}

/** Claims bytes that are due to be removed, so that no other process tries for ten minutes; what a file still uses is let go. */
export async function claimStoredBytes(db: PostgresDatabase): Promise<BytesToRemove[]> {
  const due = await db.unscoped({
    text: `/* across organizations: whatever is due anywhere */
           select organization_id, storage_key from stored_bytes_removal where due <= now() order by due limit 100`,
    values: [],
  });
  const used = await db.unscoped({
    text: `/* across organizations: a file that moved to another one has left its bytes where they were */
           select storage_key from file where storage_key = any($1)`,
    values: [due.map((row) => row[1])],
  });
  const inUse = used.map((row) => row[0]!);
  const claimed: BytesToRemove[] = [];
  for (const [organization_id, rows] of Map.groupBy(due, (row) => row[0]!)) {
    const keys = rows.map((row) => row[1]!);
    const mine = await db.unscopedTransaction(async (tx) => {
      tx.write({
        text: "delete from stored_bytes_removal where organization_id = $1 and storage_key = any($2)",
        values: [organization_id, keys.filter((key) => inUse.includes(key))],
      });
      return tx.read({
        text: `update stored_bytes_removal set due = now() + interval '10 minutes'
               where organization_id = $1 and storage_key = any($2) and due <= now() returning storage_key`,
        values: [organization_id, keys],
      });
    });
    claimed.push(...mine.map((row) => ({ organization_id, storage_key: row[0]! })));
  }
  return claimed;
}

export async function forgetStoredBytes(db: PostgresDatabase, removed: readonly BytesToRemove[]): Promise<void> {
  for (const [organization_id, all] of Map.groupBy(removed, (one) => one.organization_id)) {
    await db.unscopedTransaction(async (tx) =>
      tx.write({
        text: "delete from stored_bytes_removal where organization_id = $1 and storage_key = any($2)",
        values: [organization_id, all.map((one) => one.storage_key)],
      }),
    );
  }
}

/** What a link leads to. */
export interface SharedFile {
  name: string;
  mime: string;
  size: number;
  sha256: string;
  storage_key: string;
}

/** The file whose link has the secret with this hash, in whichever organization; null when there is none. */
export async function findSharedFile(db: Database, hash: string): Promise<SharedFile | null> {
  const [row] = await db.unscoped({
    name: "file.shared",
    text: `/* across organizations: the secret in a link does not say whose it is */
           select name, mime, size, sha256, storage_key from file where share_hash = $1`,
    values: [hash],
  });
  if (row === undefined) return null;
  return { name: row[0]!, mime: row[1]!, size: Number(row[2]), sha256: row[3]!, storage_key: row[4]! };
}
