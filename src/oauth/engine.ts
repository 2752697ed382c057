// The OAuth engine, `oidc-provider`, as we configure it: code with PKCE for everybody, opaque tokens with our prefixes, and storage
// of our own. It issues no id tokens and keeps nobody signed in.
import { generateKeyPairSync } from "node:crypto";
import Provider, { type Configuration, errors, interactionPolicy, type KoaContextWithOIDC } from "oidc-provider";
import { activeOrganizationOf, membershipsToActIn } from "../auth/unscoped_oauth.ts";
import { scopes } from "../core/context.ts";
import type { Core } from "../core/core.ts";
import { isSignedIn, pathOf, visitOf } from "../signin/visit.ts";
import { newId } from "../values/id.ts";
import { type ResourceName, resourceAt, resourceUrl } from "../values/resource_server.ts";
import { adapterFor } from "./adapter.ts";
import { clientId, isSecret } from "./clients.ts";
import { errorPage } from "./error_page.ts";
import { fetchDocument } from "./fetch_document.ts";
import { formPage, ownFormPost } from "./form_page.ts";
import { isSafe } from "./registration.ts";

const day = 24 * 3600;
const tokenSeconds = 3600;
const refreshDays = 30;
/** However often it is refreshed, a grant ends after this long. */
export const grantDays = 365;

export const paths = {
  authorization: "/oauth2/authorize/",
  token: "/oauth2/token/",
  registration: "/oauth2/register/",
  revocation: "/oauth2/revoke/",
  introspection: "/oauth2/introspect/",
} as const;

export const consentPath = "/oauth2/consent/";

export type Engine = InstanceType<typeof Provider>;

export function openEngine(core: Core): Engine {
  const { base_url } = core.settings;
  const engine = new Provider(base_url, configurationOf(core));
  // The wrapper tells it the address of the service by headers of its own. See `requests.ts`.
  engine.proxy = true;
  prefix(engine.AccessToken, "oat_");
  prefix(engine.RefreshToken, "ort_");
  prefix(engine.AuthorizationCode, "oac_");
  prefix(engine.RegistrationAccessToken, "oreg_");
  const client = engine.Client.prototype as unknown as ClientMethods;
  client.compareClientSecret = function (secret) {
    return isSecret(this.clientSecret, secret);
  };
  client.responseModeAllowed = (mode) => mode === "query" || mode === ownFormPost;
  engine.registerResponseMode(ownFormPost, formPage);
  engine.use(completed(core));
  return engine;
}

/** Tokens come with the organization and the person that they stand for, and refusals with the key that all of ours have. */
const completed = (core: Core) => async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
  await next();
  const body = ctx.body as Record<string, unknown> | undefined;
  if (body === null || typeof body !== "object" || Buffer.isBuffer(body)) return;
  const grantId = ctx.oidc?.entities.Grant?.jti;
  if (ctx.oidc?.route === "client" || ctx.oidc?.route === "client_update") delete body.client_secret;
  if ("error" in body) ctx.body = { ...body, "field-errors": {} };
  else if (body.token_type === "Bearer" && "access_token" in body && grantId !== undefined)
    ctx.body = { ...body, ...(await activeOrganizationOf(core.db, grantId)) };
};

interface ClientMethods {
  clientSecret?: string;
  compareClientSecret(secret: string): boolean;
  responseModeAllowed(mode: string): boolean;
}

/** The engine makes random texts. A test fails if it should stop asking this function. */
function prefix({ prototype }: { prototype: object }, text: string): void {
  const token = prototype as { generateTokenId(): string };
  const generate = token.generateTokenId;
  token.generateTokenId = function () {
    return text + generate.call(this);
  };
}

const configurationOf = (core: Core): Configuration => ({
  adapter: adapterFor(core),
  // A client lies below its registration, and the engine puts a slash between them.
  routes: { ...paths, registration: paths.registration.slice(0, -1), jwks: "/oauth2/jwks/" },
  scopes: [...scopes],
  claims: {},
  responseTypes: ["code"],
  clientAuthMethods: ["none", "client_secret_basic", "client_secret_post"],
  clientDefaults: { grant_types: ["authorization_code", "refresh_token"], id_token_signed_response_alg: "ES256" },
  enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
  jwks: { keys: [unusedKey()] },
  allowOmittingSingleRegisteredRedirectUri: false,
  pkce: { required: () => true },
  cookies: cookiesOf(core),
  interactions: { policy: policy(core), url: (_ctx, { uid }) => pathOf(core, `${consentPath}${uid}/`) },
  findAccount: async (_ctx, id) =>
    (await membershipsToActIn(core.db, id)).length === 0 ? undefined : { accountId: id, claims: async () => ({ sub: id }) },
  rotateRefreshToken: true,
  issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed("refresh_token"),
  expiresWithSession: () => false,
  revokeGrantPolicy: () => true,
  clientBasedCORS: () => true,
  renderError: errorPage,
  fetch: fetchDocument(core),
  features: featuresOf(core.settings.base_url),
  ttl: {
    AccessToken: tokenSeconds,
    AuthorizationCode: 60,
    RefreshToken: (_ctx, token) => Math.max(1, Math.min(refreshDays * day, grantDays * day - token.totalLifetime())),
    Interaction: 3600,
    Grant: grantDays * day,
    Session: 3600,
    IdToken: 60,
  },
});

const featuresOf = (baseUrl: string): Configuration["features"] => ({
  devInteractions: { enabled: false },
  userinfo: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  dPoP: { enabled: false },
  registration: { enabled: true, idFactory: newClientId, issueRegistrationAccessToken: isConfidential },
  registrationManagement: { enabled: true },
  revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
  introspection: {
    enabled: true,
    // Anybody can be a public client, so it learns only of its own tokens, which it knows.
    allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
  },
  clientIdMetadataDocument: { enabled: true, ack: "draft-02", cacheDuration: { min: 30, max: day }, allowClient },
  resourceIndicators: {
    enabled: true,
    defaultResource: () => resourceUrl(baseUrl, "api"),
    useGrantedResource: () => true,
    getResourceServerInfo: (_ctx, resource) => serverAt(baseUrl, resource),
  },
});

const allowClient = (_ctx: KoaContextWithOIDC, client: { redirectUris?: readonly string[] }): boolean =>
  (client.redirectUris ?? []).every(isSafe);

function serverAt(baseUrl: string, resource: string) {
  const name: ResourceName | null = resourceAt(baseUrl, resource);
  if (name === null) throw new errors.InvalidTarget();
  return {
    scope: scopes.join(" "),
    audience: resourceUrl(baseUrl, name),
    accessTokenTTL: tokenSeconds,
    accessTokenFormat: "opaque" as const,
  };
}

/** A public client is the same for everybody who registers the same, so nobody may change or end it. */
const isConfidential = (ctx: KoaContextWithOIDC): boolean => ctx.oidc.body?.token_endpoint_auth_method !== "none";

const newClientId = (ctx: KoaContextWithOIDC): string => clientId(ctx.oidc.body ?? {}, newId("client"));

/**
 * Both are asked for each time: our page answers them together. A client that wants nobody to be asked is told which of them is
 * missing.
 */
function policy(core: Core) {
  const { Check, Prompt } = interactionPolicy;
  const missing = (name: "login" | "consent") => (ctx: KoaContextWithOIDC) => ctx.oidc.result?.[name] === undefined;
  const resources = (ctx: KoaContextWithOIDC) => ({ resources: Object.keys(ctx.oidc.resourceServers ?? {}) });
  const login = async (ctx: KoaContextWithOIDC) =>
    missing("login")(ctx) &&
    !(ctx.oidc.prompts.has("none") && isSignedIn(await visitOf(core, { headers: ctx.req.headers, ip: "" })));
  return [
    new Prompt({ name: "login", requestable: true }, resources, new Check("no_session", "sign in", "login_required", login)),
    new Prompt(
      { name: "consent", requestable: true },
      resources,
      new Check("no_consent", "give consent", "consent_required", missing("consent")),
    ),
  ];
}

function cookiesOf({ settings }: Core): Configuration["cookies"] {
  const secure = settings.base_url.startsWith("https:");
  const options = { httpOnly: true, sameSite: "lax" as const, secure, signed: true, overwrite: true };
  return {
    names: { session: "oauth_session", interaction: "oauth_request", resume: "oauth_resume" },
    keys: [settings.secrets.derive({ table: "oauth", column: "cookies", organization_id: "", id: "" })],
    short: options,
    long: options,
  };
}

/** The engine does not start without a key for id tokens, and none is ever issued. */
const unusedKey = () => ({
  ...generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" }),
  alg: "ES256",
  use: "sig",
});
