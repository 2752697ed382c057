// The application for requests to a provider: the organization's own, if it has stored credentials, or else the operator's.
import type { Ctx } from "../../../core/context.ts";
import type { Core } from "../../../core/core.ts";
import { readingAs, systemActor } from "../../../records/acting.ts";
import type { OauthApplication, OauthProvider } from "../../../services/oauth_providers.ts";
import type { Asked } from "../../../services/oauth_tokens.ts";
import { credentialsOf } from "../open_credentials.ts";

/** The application for a member's consent. Null when there is none. */
export const applicationOf = async (ctx: Ctx, provider: OauthProvider): Promise<OauthApplication | null> =>
  (await ownApplication(ctx, provider)) ?? provider.application;

async function ownApplication(ctx: Ctx, { type }: OauthProvider): Promise<OauthApplication | null> {
  const values = await credentialsOf(ctx, type);
  if (values === null) return null;
  const { client_id, client_secret, tenant_id } = values as Record<string, string | undefined>;
  return { client_id: client_id!, client_secret: client_secret!, tenant: tenant_id ?? "common" };
}

/** The values for requests with the application that a grant was given to. Null when that is gone. */
export async function askingAs(
  core: Core,
  organizationId: string,
  provider: OauthProvider,
  clientId: string,
): Promise<Asked | null> {
  const { addresses } = core.settings;
  const asked = (application: OauthApplication) => ({ addresses, provider, application });
  if (provider.application?.client_id === clientId) return asked(provider.application);
  const ctx = await readingAs(core, systemActor(organizationId), { id: "", method: "", path: "" });
  const own = await ownApplication(ctx, provider);
  return own?.client_id === clientId ? asked(own) : null;
}
