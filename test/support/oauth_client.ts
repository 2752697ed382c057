// An OAuth client as other software writes it, with `oauth4webapi`, which checks each answer by the standards.
import * as oauth from "oauth4webapi";
import { pathOf } from "../../src/signin/visit.ts";
import type { Workspace } from "./given.ts";
import type { Service } from "./service.ts";
import { givePassword, goodPassword, type Shown, Visitor } from "./visitor.ts";

export const callback = "http://127.0.0.1/callback";

export interface Tokens {
  access_token: string;
  refresh_token: string;
  scope: string;
  expires_in: number;
  organization_id: string;
  user_id: string;
}

/** Requests to the service's address go to the port that it really listens on. */
const options = (service: Service) => ({
  [oauth.allowInsecureRequests]: true,
  [oauth.customFetch]: (url: string, init: RequestInit) => fetch(url.replace("http://localhost", service.url), init),
});

export interface Asked {
  scope?: string;
  resource?: string;
  /** What the person chooses on the consent page. */
  choices?: Record<string, string>;
  client?: oauth.Client;
  auth?: oauth.ClientAuth;
}

export class OauthClient {
  readonly service: Service;
  readonly server: oauth.AuthorizationServer;
  client: oauth.Client;
  auth: oauth.ClientAuth = oauth.None();

  private constructor(service: Service, server: oauth.AuthorizationServer, client: oauth.Client) {
    this.service = service;
    this.server = server;
    this.client = client;
  }

  static async register(service: Service, metadata: object = {}): Promise<OauthClient> {
    const how = options(service);
    const issuer = new URL(service.app.core.settings.base_url);
    const found = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...how });
    const server = await oauth.processDiscoveryResponse(issuer, found);
    const asked = { client_name: "Test client", redirect_uris: [callback], token_endpoint_auth_method: "none", ...metadata };
    const answer = await oauth.dynamicClientRegistrationRequest(server, asked, how);
    return new OauthClient(service, server, await oauth.processDynamicClientRegistrationResponse(answer));
  }

  /** The whole way: consent in a browser, the code, the tokens. */
  async connect(person: Workspace, asked: Asked = {}): Promise<Tokens> {
    const { verifier, back } = await this.authorize(person, asked);
    return this.redeem(back, verifier, asked.resource);
  }

  async authorize(person: Workspace, asked: Asked = {}): Promise<{ verifier: string; back: URL }> {
    const verifier = oauth.generateRandomCodeVerifier();
    const visitor = new Visitor(this.service);
    await givePassword(this.service, person.userId);
    const { email } = await person.get("/me/");
    await visitor.signIn(email, goodPassword, pathOf(this.service.app.core, ""));
    await visitor.open(await this.address(verifier, asked));
    const { left } = await visitor.send({
      answer: "allow",
      workspace: person.id,
      scope: lastOf(visitor.shown!),
      ...asked.choices,
    });
    if (left === null) throw new Error(`the person was not sent back: ${visitor.shown!.text}`);
    return { verifier, back: left };
  }

  async address(verifier: string, { scope, resource }: Asked = {}): Promise<string> {
    const query = new URLSearchParams({
      client_id: this.client.client_id,
      redirect_uri: callback,
      response_type: "code",
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state: "the state",
      ...(scope !== undefined && { scope }),
      ...(resource !== undefined && { resource }),
    });
    return `${new URL(this.server.authorization_endpoint!).pathname}?${query}`;
  }

  async redeem(back: URL, verifier: string, resource?: string): Promise<Tokens> {
    const { server, client, auth } = this;
    const params = oauth.validateAuthResponse(server, client, back, "the state");
    const answer = await oauth.authorizationCodeGrantRequest(server, client, auth, params, callback, verifier, {
      ...options(this.service),
      ...(resource !== undefined && { additionalParameters: { resource } }),
    });
    return (await oauth.processAuthorizationCodeResponse(server, client, answer)) as unknown as Tokens;
  }

  async refresh(token: string): Promise<Tokens> {
    const { server, client, auth } = this;
    const answer = await oauth.refreshTokenGrantRequest(server, client, auth, token, options(this.service));
    return (await oauth.processRefreshTokenResponse(server, client, answer)) as unknown as Tokens;
  }

  async revoke(token: string): Promise<void> {
    const { server, client, auth } = this;
    await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, auth, token, options(this.service)));
  }

  async introspect(token: string): Promise<oauth.IntrospectionResponse> {
    const { server, client, auth } = this;
    const answer = await oauth.introspectionRequest(server, client, auth, token, options(this.service));
    return oauth.processIntrospectionResponse(server, client, answer);
  }
}

/** The widest scope that the consent page offers. */
const lastOf = ({ text }: Shown): string => [...text.matchAll(/name="scope" value="(\w+)"/g)].at(-1)?.[1] ?? "";
