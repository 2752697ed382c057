// GET /connected_account/authorize/: returns the address at Google or Microsoft where the caller gives consent. It changes
// nothing.
import { z } from "zod";
import type { Ctx } from "../../../core/context.ts";
import { invalid } from "../../../core/errors.ts";
import { operation } from "../../../core/operation.ts";
import { findRecord } from "../../../records/records.ts";
import { type OauthProvider, oauthTypes } from "../../../services/oauth_providers.ts";
import { authorizationUrl, newVerifier } from "../../../services/oauth_tokens.ts";
import { connectedAccount } from "../connected_account.ts";
import { applicationOf } from "./applications.ts";
import { sealState, stateMs } from "./state.ts";

export const authorizeAccount = operation({
  name: "connected_account.authorize",
  method: "GET",
  path: "/connected_account/authorize/",
  doc: "Answers where the caller allows their account at Google or Microsoft to be used; it works for ten minutes, once.",
  permission: "member",
  mcp: false,
  input: {
    _type: z.enum(oauthTypes).describe("The provider of the account."),
    connected_account_id: z
      .string()
      .max(64)
      .optional()
      .describe("The account to connect again. By default any account that the caller chooses."),
  },
  output: z.strictObject({ url: z.url().describe("The address to open in a browser.") }),
  async run(ctx, { _type, connected_account_id }) {
    const provider = ctx.settings.oauth[_type];
    const again = connected_account_id === undefined ? null : await ownAccount(ctx, provider, connected_account_id);
    const application = await applicationOf(ctx, provider);
    if (application === null) throw invalid({ _type: notSetUp(provider) });

    const verifier = newVerifier();
    const state = sealState(ctx.settings, _type, {
      organization_id: ctx.organization_id,
      user_id: ctx.actor.user_id,
      client_id: application.client_id,
      account_id: again?.id ?? null,
      verifier,
      ends_at: ctx.now.getTime() + stateMs,
    });
    const redirect_uri = redirectUri(ctx.settings, provider);
    return {
      url: authorizationUrl({ provider, application }, { redirect_uri, state, verifier, login_hint: again?.email ?? null }),
    };
  },
});

/** The redirect address, as it is registered at the provider. */
export const redirectUri = ({ base_url }: Ctx["settings"], { type }: OauthProvider): string =>
  `${base_url}/connect/${type}/callback/`;

/** Nobody can give consent for somebody else. */
async function ownAccount(ctx: Ctx, { type, name }: OauthProvider, id: string) {
  const found = await findRecord(ctx, connectedAccount, id);
  if (found === null) throw invalid({ connected_account_id: "does not exist" });
  if (found.user_id !== ctx.actor.user_id)
    throw invalid({ connected_account_id: "belongs to somebody else: only they can connect it" });
  if (found._type !== type) throw invalid({ connected_account_id: `is not an account at ${name}` });
  return found;
}

function notSetUp({ type }: OauthProvider): string {
  const variable = type.toUpperCase();
  return (
    `is not set up here: set ${variable}_CLIENT_ID and ${variable}_CLIENT_SECRET where the service is started, ` +
    `or save an application of your own at /credentials/${type}/`
  );
}
