// Redeems the code that a member brings from a provider, and connects their account with what was granted.
import type { Actor } from "../../../core/context.ts";
import type { Core } from "../../../core/core.ts";
import type { Row } from "../../../core/resource.ts";
import { actingAs } from "../../../records/acting.ts";
import type { OauthProvider } from "../../../services/oauth_providers.ts";
import { type Asked, OauthRefused, redeemCode, type Tokens, whoGave } from "../../../services/oauth_tokens.ts";
import { connectByOauth, NotConnectable } from "../connect_by_oauth.ts";
import type { connectedAccount } from "../connected_account.ts";
import { keptAs } from "./access_token.ts";
import { redirectUri } from "./authorize.ts";
import { type AccessTokens, writeGrant } from "./grants.ts";
import type { State } from "./state.ts";

interface Brought {
  actor: Actor;
  state: State;
  code: string;
  requestId: string;
}

type Account = Row<typeof connectedAccount>;

/** Throws `OauthRefused`, `OauthUnavailable` or `NotConnectable`. */
export async function connect(core: Core, asked: Asked, { actor, state, code, requestId }: Brought): Promise<Account> {
  const { provider } = asked;
  const redirect_uri = redirectUri(core.settings, provider);
  const tokens = await redeemCode(asked, { code, verifier: state.verifier, redirect_uri });
  const person = await whoGave(asked, tokens.access_token);
  const { refresh_token } = tokens;
  if (refresh_token === null) throw new OauthRefused(`${provider.name} gave no lasting access`, true);
  const granted_features = featuresOf(provider, tokens);
  if (granted_features.length === 0)
    throw new NotConnectable(`You allowed neither mail nor calendars at ${provider.name}, so there is nothing to connect.`);

  const occasion = { id: requestId, method: "POST", path: "/connect/" };
  return actingAs(core, actor, occasion, async (ctx) => {
    const { subject, ...who } = person;
    const given = { type: provider.type, ...who, granted_features, account_id: state.account_id };
    const account = await connectByOauth(ctx, given);
    const access_tokens: AccessTokens = { [provider.scopesFor === null ? "all" : "calendar"]: keptAs(core, tokens) };
    writeGrant(ctx, account, { provider: provider.type, client_id: state.client_id, subject, refresh_token, access_tokens });
    return account;
  });
}

/** If a person can grant a part, each feature needs its scope. Otherwise all features are granted. */
function featuresOf({ features }: OauthProvider, { scope }: Tokens): string[] {
  const granted = new Set(scope.split(" "));
  return Object.keys(features).filter((feature) => features[feature] === "" || granted.has(features[feature]!));
}
