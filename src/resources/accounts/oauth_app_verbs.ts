// The verbs of OAuth applications. The secret is returned once, when it is created, and only its hash is stored.
import { createHash, randomBytes } from "node:crypto";
import { revokeClient } from "../../auth/unscoped_oauth.ts";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Row } from "../../core/resource.ts";
import { removeRows } from "../../records/removal.ts";
import { store } from "../../records/store.ts";
import { notBounded } from "../agents/not_bounded.ts";
import { oauthApp } from "./oauth_app.ts";

type App = Row<typeof oauthApp>;

export async function createOauthApp(
  ctx: Ctx,
  { confidential, ...given }: Create<typeof oauthApp>,
): Promise<App & { client_secret: string | null }> {
  notBounded(ctx);
  const client_type = given.client_type ?? (confidential === false ? "public" : "confidential");
  if (confidential !== undefined && confidential !== null && confidential !== (client_type === "confidential"))
    throw invalid({ confidential: "differs from client_type: send one of them" });

  const client_secret = client_type === "public" ? null : `oas_${randomBytes(32).toString("base64url")}`;
  const row = store.insert(ctx, oauthApp, {
    ...given,
    client_type,
    redirect_uris: [...new Set(given.redirect_uris)],
    secret_hash: client_secret && createHash("sha256").update(client_secret).digest("hex"),
    client_secret_last4: client_secret && client_secret.slice(-4),
  });
  return { ...row, client_secret };
}

/** What members allowed to it ends with it, tokens included. */
export async function deleteOauthApp(ctx: Ctx, before: App): Promise<void> {
  await revokeClient(ctx, before.id);
  await removeRows(ctx, oauthApp, [before]);
}
