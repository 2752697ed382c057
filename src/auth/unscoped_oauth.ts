// What people allow OAuth clients, and the tokens that follow from it. A person may be in several organizations, so these tables
// belong to none. Tokens and codes are found by the hash of their text.
import { type Ctx, transactionOf } from "../core/context.ts";
import type { Core } from "../core/core.ts";
import { announcements } from "../core/directory.ts";
import type { Database, Statement, Transaction } from "../db/database.ts";
import { pgTimestamp } from "../values/time.ts";
import { hashOf, isLiving, percentOf } from "./unscoped.ts";

// --- tokens ---

/** What an access token leads to, before its person's membership is looked up. */
export interface TokenRecord {
  grant_id: string;
  user_id: string;
  client_id: string;
  active_organization_id: string;
  scope: string;
  /** The address of the resource that it is for. */
  audience: string;
  expires_at: Date;
}

/** The access token with this hash, while its grant and its client live. */
export async function findToken(db: Database, hash: string): Promise<TokenRecord | null> {
  const [row] = await db.unscoped({
    name: "oauth.token",
    text: `/* across organizations: a token does not say whose it is */
           select c.id, c.user_id, c.client_id, c.active_organization_id, t.payload->>'scope', t.payload->>'aud', t.expires_at
           from oauth_artifact t join client_grant c on c.id = t.grant_id
           where t.model = 'AccessToken' and t.hash = $1 and c.revoked_at is null
             and (c.client_id not like 'oa2client_%' or exists (select from oauth_app a where a.id = c.client_id and ${isLiving("a.organization_id")}))`,
    values: [hash],
  });
  if (row === undefined) return null;
  return {
    grant_id: row[0]!,
    user_id: row[1]!,
    client_id: row[2]!,
    active_organization_id: row[3]!,
    scope: row[4] ?? "",
    audience: row[5] ?? "",
    expires_at: new Date(pgTimestamp(row[6]!)),
  };
}

export interface ActiveMembership {
  organization_id: string;
  organization_name: string;
  membership_id: string;
  role_id: string;
  role_permissions: readonly string[];
  past_due: boolean;
  limit_percent: number | undefined;
}

/** A person's active memberships, oldest first, with what an actor needs of them. */
export async function membershipsToActIn(db: Database, userId: string): Promise<ActiveMembership[]> {
  const rows = await db.unscoped({
    name: "oauth.memberships",
    text: `/* across organizations: a person is a member of several */
           select m.organization_id, o.name, m.id, m.role_id, array_to_json(r.permissions), a.billing_status, o.limit_percent
           from membership m
           join organization o on o.id = m.organization_id
           join account a on a.id = o.account_id
           join role r on r.organization_id = m.organization_id and r.id = m.role_id
           where m.user_id = $1 and m.status = 'active' and o.erased_at is null order by m.date_created, m.id`,
    values: [userId],
  });
  return rows.map((row) => ({
    organization_id: row[0]!,
    organization_name: row[1]!,
    membership_id: row[2]!,
    role_id: row[3]!,
    role_permissions: JSON.parse(row[4]!),
    past_due: row[5] === "past_due",
    limit_percent: percentOf(row[6]!),
  }));
}

/** The workspace in which an application worked last in this person's name, or undefined. */
export async function lastWorkspaceOf(db: Database, userId: string): Promise<string | undefined> {
  const [row] = await db.unscoped({
    name: "oauth.last_workspace",
    text: `select active_organization_id from client_grant where user_id = $1
           order by coalesce(last_used_at, date_created) desc, id desc limit 1`,
    values: [userId],
  });
  return row?.[0] ?? undefined;
}

export interface GrantUse {
  grant_id: string;
  at: Date;
}

/** Writes when grants were last used, in the order of their ids, so that two processes cannot deadlock. */
export async function writeGrantUse(db: Database, uses: readonly GrantUse[]): Promise<void> {
  const sorted = [...uses].sort((a, b) => (a.grant_id < b.grant_id ? -1 : 1));
  await run(db, {
    text: `update client_grant c set last_used_at = greatest(c.last_used_at, u.at) from unnest($1::text[], $2::timestamptz[]) u(id, at)
           where c.id = u.id`,
    values: [sorted.map((use) => use.grant_id), sorted.map((use) => use.at)],
  });
}

// --- grants ---

export interface Grant {
  id: string;
  user_id: string;
  client_id: string;
  client_name: string;
  scope: string;
  active_organization_id: string;
  now: Date;
  expires_at: Date;
}

/** Stores a new grant and remembers that its client is in use. */
export async function insertGrant(db: Database, grant: Grant): Promise<void> {
  await db.unscopedTransaction(async (tx) => {
    tx.write({
      text: `insert into client_grant (id, user_id, client_id, client_name, scope, active_organization_id, date_created, expires_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      values: [
        grant.id,
        grant.user_id,
        grant.client_id,
        grant.client_name,
        grant.scope,
        grant.active_organization_id,
        grant.now,
        grant.expires_at,
      ],
    });
    tx.write({
      text: "update oauth_client set used_at = $2 where id = $1 and used_at is null",
      values: [grant.client_id, grant.now],
    });
  });
}

/** What the engine wrote with a living grant, or null. */
export async function readGrant(db: Database, id: string): Promise<Payload | null> {
  const [row] = await db.unscoped({
    name: "oauth.grant",
    text: "select payload from client_grant where id = $1 and revoked_at is null",
    values: [id],
  });
  return row?.[0] == null ? null : JSON.parse(row[0]);
}

export const writeGrant = (db: Database, id: string, payload: Payload): Promise<void> =>
  run(db, { text: "update client_grant set payload = $2 where id = $1", values: [id, JSON.stringify(payload)] });

/** In which organization a grant is at present. */
export async function activeOrganizationOf(
  db: Database,
  grantId: string,
): Promise<{ organization_id: string; user_id: string } | null> {
  const [row] = await db.unscoped({
    name: "oauth.active_organization",
    text: "select active_organization_id, user_id from client_grant where id = $1",
    values: [grantId],
  });
  return row === undefined ? null : { organization_id: row[0]!, user_id: row[1]! };
}

/** Whose a grant is, and to which client. */
export async function clientOfGrant(db: Database, id: string): Promise<{ client_id: string; client_user_id: string } | null> {
  const [row] = await db.unscoped({
    name: "oauth.client_of_grant",
    text: "select client_id, user_id from client_grant where id = $1",
    values: [id],
  });
  return row === undefined ? null : { client_id: row[0]!, client_user_id: row[1]! };
}

/** Puts a grant into another organization of its person. False when the person is no active member there. */
export async function switchOrganization(db: Database, grantId: string, organizationId: string): Promise<boolean> {
  return db.unscopedTransaction(async (tx) => {
    const switched = await tx.read({
      text: `/* across organizations: from one to another */
             update client_grant c set active_organization_id = $2 where c.id = $1 and c.revoked_at is null
               and exists (select from membership m where m.organization_id = $2 and m.user_id = c.user_id and m.status = 'active')
               and exists (select from organization o where o.id = $2 and o.erased_at is null) returning c.id`,
      values: [grantId, organizationId],
    });
    if (switched.length > 0) announce(tx, organizationId);
    return switched.length > 0;
  });
}

/** Ends a grant with everything that follows from it, everywhere and at once. */
export const revokeGrant = ({ db, forget, clock }: Remembering, id: string): Promise<void> =>
  db.unscopedTransaction((tx) => revoke(tx, { text: "id = $1", value: id }, clock(), forget));

/** What remembers who may do what, and has to be told. */
export type Remembering = Pick<Core, "db" | "forget" | "clock">;

/** Ends one grant of this person, if it is theirs. */
export async function revokeOwnGrant(core: Remembering, userId: string, id: string): Promise<void> {
  const [row] = await core.db.unscoped({ text: "select user_id from client_grant where id = $1", values: [id] });
  if (row?.[0] === userId) await revokeGrant(core, id);
}

/** Ends all that this person ever allowed, in the running transaction. */
export const revokeGrantsOf = (tx: Transaction, { forget }: Pick<Core, "forget">, userId: string, now: Date): Promise<void> =>
  revoke(tx, { text: "user_id = $1", value: userId }, now, forget);

/** The same for somebody who is a member nowhere any more. */
export const revokeGrantsOfNobody = (ctx: Ctx, userId: string): Promise<void> =>
  revokeGrantsOf(transactionOf(ctx).actingFor(null), ctx, userId, ctx.now);

/** Ends all that was ever allowed to a client, in the running transaction. */
export const revokeClient = (ctx: Ctx, clientId: string): Promise<void> =>
  revoke(transactionOf(ctx).actingFor(null), { text: "client_id = $1", value: clientId }, ctx.now, ctx.forget);

async function revoke(tx: Transaction, which: { text: string; value: string }, now: Date, forget: Core["forget"]): Promise<void> {
  const ended = await tx.read({
    text: `update client_grant set revoked_at = $2 where ${which.text} and revoked_at is null returning id, active_organization_id`,
    values: [which.value, now],
  });
  if (ended.length === 0) return;
  tx.write({ text: "delete from oauth_artifact where grant_id = any($1)", values: [ended.map(([id]) => id)] });
  for (const organizationId of new Set(ended.map((row) => row[1]!))) announce(tx, organizationId);
  // The announcement reaches this process a moment later than the answer its client.
  tx.afterCommit(() => ended.forEach((row) => forget(row[1]!)));
}

const announce = (tx: Transaction, organizationId: string): void =>
  tx.write({ text: "select pg_notify($1, $2)", values: [announcements, organizationId] });

export interface ConnectedClient {
  id: string;
  client_id: string;
  organization_id: string;
  client_name: string;
  organization_name: string;
  scope: string;
  date_created: Date;
  last_used_at: Date | null;
}

/** What a person allowed to which clients, newest first. */
export async function grantsOf(db: Database, userId: string, now: Date): Promise<ConnectedClient[]> {
  const rows = await db.unscoped({
    name: "oauth.grants",
    text: `/* across organizations: a person's grants are in several */
           select c.id, c.client_id, o.id, c.client_name, o.name, c.scope, c.date_created, c.last_used_at
           from client_grant c join organization o on o.id = c.active_organization_id
           where c.user_id = $1 and c.revoked_at is null and c.expires_at > $2 order by c.date_created desc limit 200`,
    values: [userId, now],
  });
  return rows.map((row) => ({
    id: row[0]!,
    client_id: row[1]!,
    organization_id: row[2]!,
    client_name: row[3]!,
    organization_name: row[4]!,
    scope: row[5]!,
    date_created: new Date(pgTimestamp(row[6]!)),
    last_used_at: row[7] == null ? null : new Date(pgTimestamp(row[7])),
  }));
}

// --- artifacts: tokens, codes, requests under way ---

/** What the engine stores; its form is the engine's own. */
export type Payload = Record<string, unknown>;

/** How long, and how often, the same token may be used again as if for the first time. */
export interface Grace {
  ms: number;
  uses: number;
}

export interface Artifact {
  model: string;
  /** Its text, of which only the hash is stored. */
  value: string;
  payload: Payload;
  now: Date;
  expires_at: Date;
}

export const writeArtifact = (db: Database, { model, value, payload, now, expires_at }: Artifact): Promise<void> =>
  run(db, {
    text: `insert into oauth_artifact (model, hash, grant_id, payload, date_created, expires_at) values ($1, $2, $3, $4, $5, $6)
           on conflict (model, hash) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
    values: [model, hashOf(value), payload.grantId ?? null, JSON.stringify(payload), now, expires_at],
  });

/** What was stored. It says that it was consumed unless the grace still covers it. */
export async function readArtifact(db: Database, model: string, value: string, grace: Grace, now: Date): Promise<Payload | null> {
  const [row] = await db.unscoped({
    name: "oauth.artifact",
    text: `select payload, consumed_at is not null and not (consumed_at > $3 and uses < $4), extract(epoch from consumed_at)
           from oauth_artifact where model = $1 and hash = $2`,
    values: [model, hashOf(value), new Date(now.getTime() - grace.ms), grace.uses],
  });
  if (row === undefined) return null;
  return { ...JSON.parse(row[0]!), ...(row[1] === "t" && { consumed: Math.floor(Number(row[2])) }) };
}

/** Consumes it, or uses it again within the grace. False when somebody else was first and there is no grace. */
export async function consumeArtifact(db: Database, model: string, value: string, grace: Grace, now: Date): Promise<boolean> {
  const rows = await db.unscopedTransaction((tx) =>
    tx.read({
      text: `update oauth_artifact set consumed_at = coalesce(consumed_at, $3), uses = uses + (consumed_at is not null)::int
             where model = $1 and hash = $2 and (consumed_at is null or (consumed_at > $4 and uses < $5)) returning 1`,
      values: [model, hashOf(value), now, new Date(now.getTime() - grace.ms), grace.uses],
    }),
  );
  return rows.length > 0;
}

export const deleteArtifact = (db: Database, model: string, value: string): Promise<void> =>
  run(db, { text: "delete from oauth_artifact where model = $1 and hash = $2", values: [model, hashOf(value)] });

export const deleteArtifactsOf = (db: Database, model: string, grantId: string): Promise<void> =>
  run(db, { text: "delete from oauth_artifact where model = $1 and grant_id = $2", values: [model, grantId] });

// --- clients ---

export interface StoredClient {
  metadata: Payload;
  secret_hash: string | null;
}

/** A client that registered itself, or null. */
export async function findClient(db: Database, id: string): Promise<StoredClient | null> {
  const [row] = await db.unscoped({
    name: "oauth.client",
    text: "select metadata, secret_hash from oauth_client where id = $1",
    values: [id],
  });
  return row === undefined ? null : { metadata: JSON.parse(row[0]!), secret_hash: row[1]! };
}

/** Stores a client. One without a secret has its id from what it says of itself, so it never says anything else. */
export const writeClient = (db: Database, id: string, { metadata, secret_hash }: StoredClient, now: Date): Promise<void> =>
  run(db, {
    text: `insert into oauth_client (id, metadata, secret_hash, date_created) values ($1, $2, $3, $4)
           on conflict (id) do update set metadata = excluded.metadata where oauth_client.secret_hash is not null`,
    values: [id, JSON.stringify(metadata), secret_hash, now],
  });

/** Ends a client that registered itself, with all that people allowed it. */
export const deleteClient = ({ db, forget, clock }: Remembering, id: string): Promise<void> =>
  db.unscopedTransaction(async (tx) => {
    await revoke(tx, { text: "client_id = $1", value: id }, clock(), forget);
    tx.write({ text: "delete from oauth_client where id = $1", values: [id] });
  });

/** How many clients registered themselves. It is exact enough for a limit. */
export async function countClients(db: Database): Promise<number> {
  const [row] = await db.unscoped({
    text: "select count(*) from oauth_client",
    values: [],
  });
  return Number(row![0]);
}

/** A client that an organization registered. */
export interface RegisteredApp {
  id: string;
  name: string;
  redirect_uris: string[];
  client_type: "confidential" | "public";
  scopes: string[];
  secret_hash: string | null;
  website_url: string | null;
  logo_url: string | null;
}

export async function findApp(db: Database, id: string): Promise<RegisteredApp | null> {
  const [row] = await db.unscoped({
    name: "oauth.app",
    text: `/* across organizations: anybody may allow an application something */
           select name, array_to_json(redirect_uris), client_type, array_to_json(scopes), secret_hash, website_url, logo_url
           from oauth_app where id = $1 and ${isLiving("organization_id")}`,
    values: [id],
  });
  if (row === undefined) return null;
  return {
    id,
    name: row[0]!,
    redirect_uris: JSON.parse(row[1]!),
    client_type: row[2] as RegisteredApp["client_type"],
    scopes: JSON.parse(row[3]!),
    secret_hash: row[4]!,
    website_url: row[5]!,
    logo_url: row[6]!,
  };
}

const run = (db: Database, statement: Statement): Promise<void> => db.unscopedTransaction(async (tx) => tx.write(statement));
