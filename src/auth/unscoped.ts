// Queries across organizations: who a key belongs to, who a person is, and what they own in other organizations. These statements
// run as `headwater_system`, whose policy sees every row. No other code reads or writes outside the organization it acts for.
//
// A statement that reads all organizations starts with a comment that says so and why. On a cluster it goes to every machine.
// Such a statement only reads. Rows are locked and changed by statements that name one organization, one organization at a time.
import { createHash } from "node:crypto";
import { type Ctx, query, transactionOf } from "../core/context.ts";
import { announcements } from "../core/directory.ts";
import type { Database, Rows, Statement, Transaction } from "../db/database.ts";
import { emailKey } from "../values/email.ts";
import { newId, randomId } from "../values/id.ts";
import { pgTimestamp } from "../values/time.ts";

/** Leaves out organizations that were deleted and are being erased. The subquery runs once for each statement. */
export const isLiving = (organizationId: string): string =>
  `${organizationId} <> all (array(select id from organization where erased_at is not null))`;

// --- keys ---

/** What a key leads to: the key, its member, and whether the organization's account is paid. */
export interface KeyRecord {
  organization_id: string;
  api_key_id: string;
  scopes: readonly string[];
  expires_at: string | null;
  user_id: string;
  membership_id: string;
  role_id: string;
  /** The permissions stored with the role. Those of built-in roles are in the code. */
  role_permissions: readonly string[];
  past_due: boolean;
  limit_percent: number | undefined;
}

/** SHA-256 of a key's text. The text has 256 random bits, so a slow hash would add no protection. */
export const hashOf = (key: string): string => createHash("sha256").update(key).digest("hex");

/** The key with this hash. Null when there is none, or its member is not active. */
export async function findKey(db: Database, hash: string): Promise<KeyRecord | null> {
  const [row] = await db.unscoped({
    name: "auth.key",
    text: `/* across organizations: a key does not say whose it is */
           select k.organization_id, k.id, array_to_json(k.scopes), k.expires_at, m.user_id, m.id, m.role_id, array_to_json(r.permissions), a.billing_status,
             o.limit_percent
           from api_key k
           join membership m on m.organization_id = k.organization_id and m.user_id = k.user_id
           join role r on r.organization_id = m.organization_id and r.id = m.role_id
           join organization o on o.id = k.organization_id
           join account a on a.id = o.account_id
           where k.hash = decode($1, 'hex') and m.status = 'active' and o.erased_at is null`,
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
    limit_percent: percentOf(row[9]!),
  };
}

/** What the operator left of the limits, as an actor has it. */
export const percentOf = (stored: string | null): number | undefined => (stored === null ? undefined : Number(stored));

export interface Use {
  organization_id: string;
  api_key_id: string;
  at: Date;
}

/**
 * Writes when keys were last used, in one transaction for each organization. Keys are written in the order of their ids, so that
 * two processes cannot deadlock.
 */
export async function writeLastUse(db: Database, uses: readonly Use[]): Promise<void> {
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

/** The person with this address, who is created if needed. The id does not reveal whether the person existed before. */
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
  limit_percent: number | undefined;
}

/** A person's active memberships, oldest first. */
export async function activeMembershipsOf(ctx: Ctx, userId: string): Promise<MembershipAnywhere[]> {
  const rows = await outside(ctx, {
    name: "auth.memberships",
    text: `/* across organizations: a person is a member of several */
           select m.id, m.organization_id, o.name, m.role_id, array_to_json(r.permissions), m.auto_record_calls, m.track_email_opens,
             a.billing_status, r.name, o.limit_percent
           from membership m
           join organization o on o.id = m.organization_id
           join account a on a.id = o.account_id
           join role r on r.organization_id = m.organization_id and r.id = m.role_id
           where m.user_id = $1 and m.status = 'active' and o.erased_at is null order by m.date_created, m.id`,
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
    limit_percent: percentOf(row[9]!),
  }));
}

export interface MembershipOfPerson {
  id: string;
  user_id: string;
  organization_id: string;
  organization_name: string;
  status: string;
}

/** All memberships of the person with this address, for commands. */
export async function membershipsWithEmail(db: Database, email: string): Promise<MembershipOfPerson[]> {
  const rows = await db.unscoped({
    text: `/* across organizations: a person is a member of several */
           select m.id, m.user_id, m.organization_id, o.name, m.status
           from "user" u join membership m on m.user_id = u.id join organization o on o.id = m.organization_id
           where u.email_key = $1 and o.erased_at is null order by m.date_created, m.id`,
    values: [emailKey(email)],
  });
  return rows.map(
    ([id, user_id, organization_id, organization_name, status]) =>
      ({ id, user_id, organization_id, organization_name, status }) as MembershipOfPerson,
  );
}

/** The organizations that show a person's name: those where they are a member, were one, or are invited. */
export async function organizationsThatKnow(ctx: Ctx, userId: string): Promise<string[]> {
  const rows = await outside(ctx, {
    text: `/* across organizations: all that show a person's name */
           select organization_id from membership where user_id = $1 and ${isLiving("organization_id")}`,
    values: [userId],
  });
  return rows.map((row) => row[0]!);
}

/** Locks a person, so that nobody else decides at the same time about what they own or are a member of. */
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
           select distinct organization_id from contact where share_id = any($1) and ${isLiving("organization_id")} order by organization_id`,
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

export interface InvitationBehind {
  organization_id: string;
  membership_id: string;
  user_id: string;
}

/** The invitation whose secret has this hash. Null when there is none, or when a newer link replaced it. */
export async function findInvitation(db: Database, hash: string): Promise<InvitationBehind | null> {
  const [row] = await db.unscoped({
    name: "invitation.public",
    text: `/* across organizations: the secret in a link does not say whose it is */
           select i.organization_id, i.membership_id, m.user_id from invitation i
           join membership m on m.organization_id = i.organization_id and m.id = i.membership_id where i.hash = $1`,
    values: [hash],
  });
  return row === undefined ? null : { organization_id: row[0]!, membership_id: row[1]!, user_id: row[2]! };
}

/** How many mails of a kind went to a mailbox since a moment, by whichever organization. Until the commit nobody else counts them. */
export async function countMailsTo(
  ctx: Ctx,
  kind: "invitation" | "signed_quote",
  recipient: string,
  since: Date,
): Promise<number> {
  await query(ctx, {
    name: "system_mail.one_at_a_time",
    text: "select pg_advisory_xact_lock(hashtextextended('system mail ' || $1 || ' to ' || $2, 0))",
    values: [kind, recipient],
  });
  const [row] = await outside(ctx, {
    name: "system_mail.sent_anywhere",
    text: `/* across organizations: anybody can make organizations, and together they must not flood a person */
           select count(*) from system_mail where recipient = $1 and kind = $2 and date_created > $3`,
    values: [recipient, kind, since],
  });
  return Number(row![0]);
}

/** Whether a person gets mail about unread notifications in any organization. */
export async function setDigests(db: Database, userId: string, wanted: boolean, now: Date): Promise<void> {
  await db.unscopedTransaction(async (tx) =>
    tx.write({
      text: `update "user" set notification_settings = notification_settings || jsonb_build_object('email', $2::boolean),
               date_updated = $3, version = version + 1 where id = $1`,
      values: [userId, wanted, now],
    }),
  );
}

// --- quotes ---

export interface PublicQuote {
  organization_id: string;
  id: string;
  created_by: string;
}

/** The quote whose page has the secret with this hash. */
export async function findPublicQuote(db: Database, hash: string): Promise<PublicQuote | null> {
  const [row] = await db.unscoped({
    name: "quote.public",
    text: `/* across organizations: the secret in a link does not say whose it is */
           select organization_id, id, created_by from quote where public_hash = $1 and ${isLiving("organization_id")}`,
    values: [hash],
  });
  return row === undefined ? null : { organization_id: row[0]!, id: row[1]!, created_by: row[2]! };
}

// --- providers that call us ---

/** The organization whose provider calls the address with this token. Null when there is none. */
export async function findCalledOrganization(db: Database, service: string, token: string): Promise<string | null> {
  const [row] = await db.unscoped({
    name: "credential.called",
    text: `/* across organizations: the token in an address does not say whose it is */
           select organization_id from credential where webhook_token = $1 and service = $2 and ${isLiving("organization_id")}`,
    values: [token, service],
  });
  return row?.[0] ?? null;
}

export interface CalledHook {
  organization_id: string;
  /** The automation. */
  id: string;
}

/** The automation whose address has the token with this hash. */
export async function findCalledHook(db: Database, hash: string): Promise<CalledHook | null> {
  const [row] = await db.unscoped({
    name: "automation.called",
    text: `/* across organizations: the token in an address does not say whose it is */
           select organization_id, id from automation where hook_hash = $1 and ${isLiving("organization_id")}`,
    values: [hash],
  });
  return row === undefined ? null : { organization_id: row[0]!, id: row[1]! };
}

// --- links in mail ---

/** The recipient that a link in a mail was made for, and the mail. */
export interface MailRecipient {
  organization_id: string;
  email_id: string;
  /** In the form in which addresses are compared. */
  address: string;
}

/** The recipient of the link whose secret has this hash, or null. It outlives the mail, the contact and the lead. */
export async function findMailRecipient(db: Database, hash: string): Promise<MailRecipient | null> {
  const [row] = await db.unscoped({
    name: "mail_recipient.public",
    text: `/* across organizations: the secret in a link does not say whose it is */
           select organization_id, email_id, address from mail_recipient where token_hash = $1 and ${isLiving("organization_id")}`,
    values: [hash],
  });
  return row === undefined ? null : { organization_id: row[0]!, email_id: row[1]!, address: row[2]! };
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

/** Sets whether an account is paid, and returns its organizations. Null when there is no such account. */
export async function setBilling(db: Database, accountId: string, status: "active" | "past_due"): Promise<string[] | null> {
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

/** Sets what an organization may use of the usual limits; null: all of it. Returns its name, or null when there is none. */
export async function limitOrganization(db: Database, organizationId: string, percent: number | null): Promise<string | null> {
  return db.unscopedTransaction(async (tx) => {
    const [row] = await tx.read({
      text: "update organization set limit_percent = $2 where id = $1 and organization_id = $1 and erased_at is null returning name",
      values: [organizationId, percent],
    });
    if (row === undefined) return null;
    tx.write({ text: "select pg_notify($1, $2)", values: [announcements, organizationId] });
    return row[0]!;
  });
}

/** Creates a billing account owned by this person. */
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
