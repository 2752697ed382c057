// The `state` parameter that a provider sends back: sealed, so that only we can have made it, and with everything about the
// request.
import { createHash, randomBytes } from "node:crypto";
import { type Ctx, transactionOf } from "../../../core/context.ts";
import type { Settings } from "../../../core/core.ts";
import type { OauthType } from "../../../services/oauth_providers.ts";

export interface State {
  organization_id: string;
  user_id: string;
  client_id: string;
  /** The account to be connected again. Null for any. */
  account_id: string | null;
  /** The PKCE verifier for redeeming the code. */
  verifier: string;
  /** When it expires, in milliseconds. */
  ends_at: number;
}

/** How long a person has to respond. */
export const stateMs = 10 * 60_000;

export const sealState = ({ secrets }: Settings, provider: OauthType, state: State): string =>
  secrets.seal(JSON.stringify({ ...state, nonce: randomBytes(16).toString("base64url") }), placeOf(provider));

/** The request. Null for a text that we have not sealed, or for another provider. */
export function openState({ secrets }: Settings, provider: OauthType, sealed: string): State | null {
  try {
    return JSON.parse(secrets.open(sealed, placeOf(provider)));
  } catch {
    return null;
  }
}

/** Marks a state as used. False when it already was. */
export async function useState(ctx: Ctx, sealed: string): Promise<boolean> {
  const id = createHash("sha256").update(sealed).digest("hex");
  const used = await transactionOf(ctx).read({
    name: "oauth_answer.use",
    text: `insert into oauth_answer (organization_id, id, date_created) values ($1, $2, $3)
           on conflict (organization_id, id) do nothing returning id`,
    values: [ctx.organization_id, id, ctx.now],
  });
  return used.length > 0;
}

const placeOf = (provider: OauthType) => ({ table: "oauth_answer", column: "state", organization_id: "", id: provider });
