// The access token of a connected account, refreshed before it expires. However many workers need it, one of them refreshes it.
// After a refusal no more requests are sent, and the owner is notified once.
import { setTimeout as sleep } from "node:timers/promises";
import type { Core } from "../../../core/core.ts";
import { asSystem } from "../../../records/acting.ts";
import type { OauthProvider, Purpose } from "../../../services/oauth_providers.ts";
import { OauthRefused, refreshTokens, type Tokens } from "../../../services/oauth_tokens.ts";
import { newId, randomId } from "../../../values/id.ts";
import { allWays, failAccount, mendAccount } from "../account_states.ts";
import { askingAs } from "./applications.ts";
import { type AccessTokens, type Grant, type OfAccount, readGrant, takeTurn, writeFailure, writeTokens } from "./grants.ts";

/** There is no grant, or the provider no longer accepts it. Only the owner can solve that, by connecting the account again. */
export class NotConnected extends Error {}

/** There is no token at this moment. A retry may help. */
export class TokenUnavailable extends Error {}

/** It is refreshed when it is valid for less than this, so that no work starts with a token about to expire. */
const refreshedBeforeMs = 5 * 60_000;
/** A token valid for this long may be used while another worker refreshes it. */
const neededMs = 30_000;
/** How long to wait for another worker's refresh. */
const patienceMs = 20_000;
const lookAgainMs = 100;

/** A token that is valid for at least half a minute. Throws `NotConnected` or `TokenUnavailable`, with messages for people. */
export async function accessTokenOf(core: Core, account: OfAccount, purpose: Purpose = "mail"): Promise<string> {
  const began = performance.now();
  for (;;) {
    const grant = await readGrant(core, account);
    if (grant === null) throw new NotConnected("It is not connected: connect it by /connected_account/authorize/.");
    if (grant.is_refused) throw new NotConnected(grant.latest_error!);
    const kept = grant.access_tokens[keyOf(core, grant, purpose)];
    const left = (kept?.ends_at ?? 0) - core.clock().getTime();
    if (left > refreshedBeforeMs) return kept!.token;

    const claim = randomId("turn");
    const isOurTurn = await takeTurn(core, account, grant, claim);
    if (isOurTurn) return refresh(core, account, grant, purpose, claim, left > neededMs ? kept!.token : null);
    if (left > neededMs) return kept!.token;
    if (grant.next_refresh_at !== null && grant.next_refresh_at > core.clock()) throw new TokenUnavailable(grant.latest_error!);
    if (performance.now() - began > patienceMs)
      throw new TokenUnavailable("Another worker asks for its token and has not got it yet.");
    await sleep(lookAgainMs);
  }
}

/** The provider no longer accepts a token that has not expired. The next caller gets a new one. */
export async function forgetToken(core: Core, account: OfAccount, token: string): Promise<void> {
  const grant = await readGrant(core, account);
  if (grant === null) return;
  const others = Object.entries(grant.access_tokens).filter(([, kept]) => kept.token !== token);
  if (others.length === Object.keys(grant.access_tokens).length) return;
  const claim = randomId("turn");
  if (!(await takeTurn(core, account, grant, claim))) return;
  const { refresh_token } = grant;
  await inside(core, account, async (ctx) =>
    writeTokens(ctx, account, claim, { refresh_token, access_tokens: Object.fromEntries(others) }),
  );
}

const providerOf = (core: Core, { provider }: Grant): OauthProvider => core.settings.oauth[provider];

const keyOf = (core: Core, grant: Grant, purpose: Purpose): keyof AccessTokens =>
  providerOf(core, grant).scopesFor === null ? "all" : purpose;

/** The stored form of a token response. */
export const keptAs = (core: Pick<Core, "clock">, { access_token, expires_in }: Tokens) => ({
  token: access_token,
  ends_at: core.clock().getTime() + expires_in * 1000,
});

// --- one refresh ---

/** Refreshes after taking the turn. A temporary failure does no harm as long as `stillGood` is valid. */
async function refresh(
  core: Core,
  account: OfAccount,
  grant: Grant,
  purpose: Purpose,
  claim: string,
  stillGood: string | null,
): Promise<string> {
  const asked = await askingAs(core, account.organization_id, providerOf(core, grant), grant.client_id);
  if (asked === null) return failed(core, account, grant, claim, notSetUp, stillGood);
  const tokens = await refreshTokens(asked, grant.refresh_token, purpose).catch((error: Error) => error);
  if (tokens instanceof Error) return failed(core, account, grant, claim, tokens, stillGood);

  const access_tokens = { ...grant.access_tokens, [keyOf(core, grant, purpose)]: keptAs(core, tokens) };
  // A provider that returns a new refresh token soon rejects the previous one.
  const refresh_token = tokens.refresh_token ?? grant.refresh_token;
  await inside(core, account, async (ctx) => {
    writeTokens(ctx, account, claim, { refresh_token, access_tokens });
    if (grant.latest_error !== null) await mendAccount(ctx, account.id, allWays, grant.latest_error);
  });
  return tokens.access_token;
}

const notSetUp = new OauthRefused("The application that it was connected with is no longer configured.", false);

async function failed(
  core: Core,
  account: OfAccount,
  { failures }: Grant,
  claim: string,
  reason: Error,
  stillGood: string | null,
): Promise<string> {
  const isFinal = reason instanceof OauthRefused && reason.isFinal;
  const error = isFinal ? `${reason.message}. Connect the account again.` : reason.message;
  const again = isFinal ? null : new Date(core.clock().getTime() + pauseMs(failures, reason));
  await inside(core, account, async (ctx) => {
    const isWritten = await writeFailure(ctx, account, claim, { error, again });
    // A provider that is down will come back. A refusal needs a person.
    if (isWritten && reason instanceof OauthRefused) await failAccount(ctx, account.id, allWays, error);
  });
  if (isFinal) throw new NotConnected(error);
  if (stillGood !== null) return stillGood;
  throw new TokenUnavailable(error);
}

const hourMs = 3_600_000;

/** Half a minute, a minute, two and so on, at most an hour. When the application is refused, an hour at once. */
const pauseMs = (failures: number, reason: Error): number =>
  (reason instanceof OauthRefused ? hourMs : Math.min(hourMs, 30_000 * 2 ** failures)) * (0.75 + Math.random() / 4);

const inside = <T>(core: Core, { organization_id, id }: OfAccount, work: Parameters<typeof asSystem<T>>[3]): Promise<T> =>
  asSystem(core, organization_id, { id: newId("req"), method: "", path: `oauth ${id}` }, work);
