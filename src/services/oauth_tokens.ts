// OAuth 2.0 with Google and Microsoft: the authorization address, tokens for a code or a refresh token, and revoking a token (RFC
// 6749, 7636, 7009). Nothing is stored here.
import { createHash, randomBytes } from "node:crypto";
import { emailKey, parseEmail } from "../values/email.ts";
import { oneLine } from "../values/one_line.ts";
import { type Answer, askPublic, jsonOf } from "./ask_public.ts";
import type { OauthApplication, OauthProvider, Purpose } from "./oauth_providers.ts";
import type { PublicAddresses } from "./public_address.ts";

/** What a request needs: the allowed addresses, the provider, and the application at it. */
export interface Asked {
  addresses: PublicAddresses;
  provider: OauthProvider;
  application: OauthApplication;
}

export interface Tokens {
  access_token: string;
  /** Null when the previous refresh token stays valid. */
  refresh_token: string | null;
  expires_in: number;
  scope: string;
}

/** The owner of an account at the provider. */
export interface Person {
  /** The provider's permanent id of the person. */
  subject: string;
  email: string;
  /** The provider has made sure that the address is the person's. */
  is_certain: boolean;
  name: string | null;
}

/** The provider refused. */
export class OauthRefused extends Error {
  /** True when a retry cannot help because the grant is gone. Otherwise something in the application is wrong. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** The provider could not be reached, or gave no usable response. A retry may help. */
export class OauthUnavailable extends Error {}

// --- asking a person ---

/** A new PKCE verifier, and the challenge that is sent ahead of it. */
export const newVerifier = (): string => randomBytes(32).toString("base64url");
const challengeOf = (verifier: string): string => createHash("sha256").update(verifier).digest("base64url");

export interface Authorization {
  redirect_uri: string;
  state: string;
  verifier: string;
  /** The address that the person is expected to choose. */
  login_hint: string | null;
}

export function authorizationUrl({ provider, application }: Omit<Asked, "addresses">, asked: Authorization): string {
  const { redirect_uri, state, verifier, login_hint } = asked;
  const parameters = new URLSearchParams({
    client_id: application.client_id,
    response_type: "code",
    redirect_uri,
    scope: provider.scopes.join(" "),
    state,
    code_challenge: challengeOf(verifier),
    code_challenge_method: "S256",
    ...provider.extras,
    ...(login_hint !== null && { login_hint }),
  });
  return `${provider.authorizeUrl(application)}?${parameters}`;
}

// --- tokens ---

/** The tokens for a code. Where tokens have one purpose, these are for calendars. */
export const redeemCode = (asked: Asked, given: { code: string; verifier: string; redirect_uri: string }): Promise<Tokens> =>
  askForTokens(asked, "calendar", {
    grant_type: "authorization_code",
    code: given.code,
    code_verifier: given.verifier,
    redirect_uri: given.redirect_uri,
  });

export const refreshTokens = (asked: Asked, refresh_token: string, purpose: Purpose): Promise<Tokens> =>
  askForTokens(asked, purpose, { grant_type: "refresh_token", refresh_token });

async function askForTokens(asked: Asked, purpose: Purpose, fields: Record<string, string>): Promise<Tokens> {
  const { provider, application } = asked;
  const { client_id, client_secret } = application;
  const scope = provider.scopesFor?.[purpose].join(" ");
  const answer = await post(asked, provider.tokenUrl(application), {
    ...fields,
    client_id,
    client_secret,
    ...(scope !== undefined && { scope }),
  });
  const said = jsonOf(answer);
  if (answer.status !== 200) throw refusalOf(provider, answer, said);
  if (typeof said?.access_token !== "string") throw new OauthUnavailable(`${provider.name} answered no token`);
  const seconds = Number(said.expires_in);
  return {
    access_token: said.access_token,
    refresh_token: typeof said.refresh_token === "string" ? said.refresh_token : null,
    expires_in: Number.isFinite(seconds) && seconds > 0 ? seconds : 3600,
    scope: String(said.scope ?? ""),
  };
}

/** Revokes a refresh token, where the provider offers that. A token that is already invalid counts as revoked. */
export async function revokeToken(asked: Asked, token: string): Promise<void> {
  const { provider } = asked;
  if (provider.revokeUrl === null) return;
  const answer = await post(asked, provider.revokeUrl, { token });
  if (answer.status === 429 || answer.status >= 500)
    throw new OauthUnavailable(`${provider.name} answered ${answer.status} to a token that was given back`);
}

export async function whoGave({ addresses, provider }: Asked, token: string): Promise<Person> {
  const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
  const answer = await reached(provider, askPublic(addresses, { method: "GET", url: provider.whoUrl, headers }));
  const said = jsonOf(answer);
  if (answer.status !== 200) throw refusalOf(provider, answer, said);
  const email = parseEmail(String(said?.email ?? said?.mail ?? said?.userPrincipalName ?? ""));
  const subject = said?.sub ?? said?.id;
  // Google says whether it has verified the address. At Microsoft the administrators of any organization write what they like into
  // `mail`, but people sign in under domains that the organization has proven.
  if (email === null || said.email_verified === false || typeof subject !== "string")
    throw new OauthRefused(`${provider.name} does not say which address the account has`, true);
  const is_certain = said.email !== undefined || emailKey(email) === emailKey(String(said.userPrincipalName ?? ""));
  return { subject, email, is_certain, name: oneLine(String(said.name ?? said.displayName ?? "")) || null };
}

// --- over the wire ---

const post = ({ addresses, provider }: Asked, url: string, fields: Record<string, string>): Promise<Answer> =>
  reached(
    provider,
    askPublic(addresses, {
      method: "POST",
      url,
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: new URLSearchParams(fields).toString(),
    }),
  );

const reached = (provider: OauthProvider, asking: Promise<Answer>): Promise<Answer> =>
  asking.catch((cause: Error) => {
    throw new OauthUnavailable(`${provider.name} ${cause.message}`, { cause });
  });

/** The errors that require a new consent (RFC 6749 5.2, OpenID Connect Core 3.1.2.6). */
const finalCodes = new Set(["invalid_grant", "interaction_required", "consent_required", "login_required", "access_denied"]);

function refusalOf({ name }: OauthProvider, { status }: Answer, said: any): Error {
  const code = typeof said?.error === "string" ? said.error : null;
  if (code === null || status === 429 || status >= 500) return new OauthUnavailable(`${name} answered ${status}`);
  const words = typeof said.error_description === "string" ? `: ${oneLine(said.error_description, 300)}` : "";
  return new OauthRefused(`${name} refuses it: ${oneLine(code, 50)}${words}`, finalCodes.has(code));
}
