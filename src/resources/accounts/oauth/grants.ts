// Stored grants: what a member allowed at a provider, with the sealed tokens. They belong to no resource, and no response shows
// them.
import { type Ctx, query, transactionOf, write } from "../../../core/context.ts";
import type { Core, Settings } from "../../../core/core.ts";
import type { TextRow } from "../../../db/database.ts";
import type { OauthType, Purpose } from "../../../services/oauth_providers.ts";
import { pgTimestamp } from "../../../values/time.ts";

/** The account that the grant belongs to. */
export interface OfAccount {
  organization_id: string;
  id: string;
}

export interface Grant {
  provider: OauthType;
  client_id: string;
  subject: string;
  refresh_token: string;
  access_tokens: AccessTokens;
  version: number;
  refreshing_until: Date | null;
  failures: number;
  next_refresh_at: Date | null;
  latest_error: string | null;
  is_refused: boolean;
}

/** By purpose. `all` where a token is good for everything. */
export type AccessTokens = Partial<Record<Purpose | "all", { token: string; ends_at: number }>>;

const columns = `provider, client_id, subject, sealed_refresh_token, sealed_access_tokens, version, refreshing_until, failures,
  next_refresh_at, latest_error, refused_at is not null`;

/** The grant of an account. Null when there is none, or it is being revoked. */
export async function readGrant(core: Core, account: OfAccount): Promise<Grant | null> {
  const [row] = await core.db.read(account.organization_id, {
    name: "oauth_grant.read",
    text: `select ${columns} from oauth_grant where organization_id = $1 and account_id = $2 and not is_given_back`,
    values: [account.organization_id, account.id],
  });
  return row === undefined ? null : grantOf(core.settings, account, row);
}

/** The grant that is to be revoked. */
export async function readGivenBack(core: Core, account: OfAccount): Promise<Grant | null> {
  const [row] = await core.db.read(account.organization_id, {
    name: "oauth_grant.read_given_back",
    text: `select ${columns} from oauth_grant where organization_id = $1 and account_id = $2 and is_given_back`,
    values: [account.organization_id, account.id],
  });
  return row === undefined ? null : grantOf(core.settings, account, row);
}

function grantOf(settings: Settings, account: OfAccount, row: TextRow): Grant {
  const open = (column: string, sealed: string) => settings.secrets.open(sealed, placeOf(account, column));
  return {
    provider: row[0] as OauthType,
    client_id: row[1]!,
    subject: row[2]!,
    refresh_token: open("sealed_refresh_token", row[3]!),
    access_tokens: row[4] === null ? {} : JSON.parse(open("sealed_access_tokens", row[4]!)),
    version: Number(row[5]),
    refreshing_until: instant(row[6]!),
    failures: Number(row[7]),
    next_refresh_at: instant(row[8]!),
    latest_error: row[9]!,
    is_refused: row[10] === "t",
  };
}

const instant = (text: string | null): Date | null => (text === null ? null : new Date(pgTimestamp(text)));

const placeOf = ({ organization_id, id }: OfAccount, column: string) => ({ table: "oauth_grant", column, organization_id, id });

/** The stored form of tokens. */
function sealedTokens({ secrets }: Settings, account: OfAccount, refreshToken: string, accessTokens: AccessTokens): string[] {
  return [
    secrets.seal(refreshToken, placeOf(account, "sealed_refresh_token")),
    secrets.seal(JSON.stringify(accessTokens), placeOf(account, "sealed_access_tokens")),
  ];
}

export type NewGrant = Pick<Grant, "provider" | "client_id" | "subject" | "refresh_token" | "access_tokens">;

/** Replaces the account's grant. */
export function writeGrant(ctx: Ctx, account: OfAccount, grant: NewGrant): void {
  const { provider, client_id, subject, refresh_token, access_tokens } = grant;
  write(ctx, {
    name: "oauth_grant.write",
    text: `insert into oauth_grant (organization_id, account_id, provider, client_id, subject, sealed_refresh_token, sealed_access_tokens, date_created)
           values ($1, $2, $3, $4, $5, $6, $7, $8)
           on conflict (organization_id, account_id) do update set client_id = excluded.client_id, subject = excluded.subject,
             sealed_refresh_token = excluded.sealed_refresh_token, sealed_access_tokens = excluded.sealed_access_tokens,
             version = oauth_grant.version + 1, refresh_claim = null, refreshing_until = null, failures = 0, next_refresh_at = null,
             latest_error = null, refused_at = null, date_created = excluded.date_created`,
    values: [
      account.organization_id,
      account.id,
      provider,
      client_id,
      subject,
      ...sealedTokens(ctx.settings, account, refresh_token, access_tokens),
      ctx.now,
    ],
  });
}

// --- revoking ---

/** The grant of an account that is deleted. From now on nobody uses it. */
export const giveBackGrant = (ctx: Ctx, accountId: string): void =>
  write(ctx, {
    name: "oauth_grant.give_back",
    text: "update oauth_grant set is_given_back = true where organization_id = $1 and account_id = $2",
    values: [ctx.organization_id, accountId],
  });

/** All grants of an organization that goes, those of deleted accounts included. Answers whose they are. */
export async function giveBackAllGrants(ctx: Ctx): Promise<string[]> {
  const rows = await transactionOf(ctx).read({
    name: "oauth_grant.give_back_all",
    text: "update oauth_grant set is_given_back = true where organization_id = $1 returning account_id",
    values: [ctx.organization_id],
  });
  return rows.map(([id]) => id!);
}

export async function areGrantsLeft(ctx: Ctx): Promise<boolean> {
  const rows = await query(ctx, {
    name: "oauth_grant.left",
    text: "select 1 from oauth_grant where organization_id = $1 limit 1",
    values: [ctx.organization_id],
  });
  return rows.length > 0;
}

export const forgetGrant = (ctx: Ctx, accountId: string): void =>
  write(ctx, {
    name: "oauth_grant.forget",
    text: "delete from oauth_grant where organization_id = $1 and account_id = $2 and is_given_back",
    values: [ctx.organization_id, accountId],
  });

// --- refreshing ---

/** How long nobody else may refresh it. A request to a provider takes less. */
const turnMs = 30_000;

/**
 * Takes the turn to refresh a grant in the state that was read. False when another worker has the turn, has refreshed it in the
 * meantime, or it is too early. A turn from before the clock was set back becomes as long as a new one.
 */
export async function takeTurn(core: Core, account: OfAccount, { version }: Grant, claim: string): Promise<boolean> {
  const now = core.clock();
  const taken = await core.db.transaction(account.organization_id, (tx) =>
    tx.read({
      name: "oauth_grant.take_turn",
      text: `update oauth_grant set refresh_claim = $3, refreshing_until = $4
             where organization_id = $1 and account_id = $2 and version = $5 and refused_at is null and not is_given_back
               and coalesce(refreshing_until, $6) <= $6 and coalesce(next_refresh_at, $6) <= $6 returning version`,
      values: [account.organization_id, account.id, claim, new Date(now.getTime() + turnMs), version, now],
    }),
  );
  if (taken.length > 0) return true;
  const [end, far] = [1, 2].map((turns) => new Date(now.getTime() + turns * turnMs));
  await core.db.once(account.organization_id, {
    name: "oauth_grant.shorten_turn",
    text: `update oauth_grant set refreshing_until = $3 where organization_id = $1 and account_id = $2 and refreshing_until > $4`,
    values: [account.organization_id, account.id, end, far],
  });
  return false;
}

/** Stores the new tokens, unless another worker has had the turn since. */
export function writeTokens(
  ctx: Ctx,
  account: OfAccount,
  claim: string,
  { refresh_token, access_tokens }: Pick<Grant, "refresh_token" | "access_tokens">,
): void {
  write(ctx, {
    name: "oauth_grant.write_tokens",
    text: `update oauth_grant set sealed_refresh_token = $4, sealed_access_tokens = $5, version = version + 1, refresh_claim = null,
             refreshing_until = null, failures = 0, next_refresh_at = null, latest_error = null
           where organization_id = $1 and account_id = $2 and refresh_claim = $3`,
    values: [account.organization_id, account.id, claim, ...sealedTokens(ctx.settings, account, refresh_token, access_tokens)],
  });
}

/** Stores that a refresh failed: for good when `again` is null. False when another worker has had the turn since. */
export async function writeFailure(
  ctx: Ctx,
  account: OfAccount,
  claim: string,
  { error, again }: { error: string; again: Date | null },
): Promise<boolean> {
  const written = await transactionOf(ctx).read({
    name: "oauth_grant.write_failure",
    text: `update oauth_grant set failures = failures + 1, latest_error = $4, next_refresh_at = $5, version = version + 1,
             refused_at = case when $5::timestamptz is null then $6::timestamptz end, refresh_claim = null, refreshing_until = null
           where organization_id = $1 and account_id = $2 and refresh_claim = $3 returning version`,
    values: [account.organization_id, account.id, claim, error, again, ctx.now],
  });
  return written.length > 0;
}
