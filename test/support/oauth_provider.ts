// A server that plays the OAuth 2.0 of Google and Microsoft: consent, codes with PKCE, refresh, revocation and user info. It
// follows the rules, so a client that breaks one is refused as it would be there.
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";

export interface Person {
  email: string;
  name: string;
  subject: string;
  /** At Microsoft. By default under the address. */
  signsInAs?: string;
}

interface Grant {
  person: Person;
  client_id: string;
  scopes: string[];
}

export interface ApiRequest {
  method: string;
  url: URL;
  headers: IncomingMessage["headers"];
  body: string;
  /** The person whose token was sent. */
  person: Person;
}

export interface ApiAnswer {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface OauthServer {
  url: string;
  /** The operator's settings for this server. */
  env: Record<string, string>;
  /** The person in the browser and what they do: allow everything, nothing, or only these scopes. */
  person: Person;
  decision: "allow" | "deny" | string[];
  /** When true, each refresh returns a new refresh token and makes the previous one invalid. */
  rotates: boolean;
  /** How many seconds a token is valid. */
  expires_in: number;
  /** What its token endpoint responds in place of tokens. */
  refuses: { status: number; body: unknown } | null;
  /** Called before each response of its token endpoint. */
  beforeTokens: (() => Promise<void>) | null;
  /** What it responds to a revocation, in place of doing it. */
  beforeRevoking: (() => ApiAnswer) | null;
  /** The requests for tokens, in order. */
  asked: Record<string, string>[];
  /** By refresh token. */
  grants: Map<string, Grant>;
  revoked: string[];
  /** Its APIs, for requests with a valid token. */
  apis: ((request: ApiRequest) => Promise<ApiAnswer | null> | ApiAnswer | null)[];
  /** Revokes a person's grant. */
  withdraw(email: string): void;
  /** Makes all access tokens invalid. */
  expireTokens(): void;
  /** Follows a link as the person in the browser. Returns the URL they are sent to. */
  visit(url: string): Promise<URL>;
  /** The person whose access token it is. */
  whose(token: string): Person | null;
  close(): void;
}

const client = { id: "headwater-app.example", secret: "app-secret-of-the-tests" };

export const ann: Person = { email: "ann@acme.example", name: "Ann Lee", subject: "subject-ann" };

let count = 0;

/** A person that no other test knows. */
export function somebody(): Person {
  const name = `somebody-${++count}`;
  return { email: `${name}@acme.example`, name, subject: name };
}

const open = new Set<OauthServer>();
after(() => open.forEach((one) => one.close()));

export async function startOauthProvider(): Promise<OauthServer> {
  const running = new Running();
  await running.listen();
  open.add(running);
  return running;
}

class Refused extends Error {
  readonly status: number;

  constructor(status: number, error: string) {
    super(error);
    this.status = status;
  }
}

interface Code extends Grant {
  challenge: string;
  redirect_uri: string;
}

class Running implements OauthServer {
  url = "";
  env: Record<string, string> = {};
  person = ann;
  decision: OauthServer["decision"] = "allow";
  rotates = false;
  expires_in = 3600;
  refuses: OauthServer["refuses"] = null;
  beforeTokens: OauthServer["beforeTokens"] = null;
  beforeRevoking: OauthServer["beforeRevoking"] = null;
  asked: Record<string, string>[] = [];
  grants = new Map<string, Grant>();
  revoked: string[] = [];
  apis: OauthServer["apis"] = [];
  private readonly codes = new Map<string, Code>();
  private readonly tokens = new Map<string, Grant>();
  private readonly server = createServer((request, response) => void this.take(request, response));

  async listen(): Promise<void> {
    await new Promise<void>((listening) => this.server.listen(0, "127.0.0.1", listening));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    this.env = Object.fromEntries(
      ["GOOGLE", "MICROSOFT"].flatMap((name) => [
        [`${name}_CLIENT_ID`, client.id],
        [`${name}_CLIENT_SECRET`, client.secret],
        [`${name}_BASE_URL`, this.url],
      ]),
    );
  }

  withdraw(email: string): void {
    for (const kept of [this.grants, this.tokens])
      for (const [token, { person }] of kept) if (person.email === email) kept.delete(token);
  }

  expireTokens(): void {
    this.tokens.clear();
  }

  async visit(url: string): Promise<URL> {
    const answer = await fetch(url, { redirect: "manual" });
    const location = answer.headers.get("location");
    if (location === null) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
    return new URL(location);
  }

  whose = (token: string): Person | null => this.tokens.get(token)?.person ?? null;

  close(): void {
    open.delete(this);
    this.server.close();
    this.server.closeAllConnections();
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    const answer = await this.answer(request, new URL(request.url!, this.url), body).catch(
      (error: Error): ApiAnswer =>
        error instanceof Refused
          ? { status: error.status, body: { error: error.message, error_description: "As the rules say." } }
          : { status: 500, body: { message: error.stack } },
    );
    const { status = 200, headers = {} } = answer;
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(answer.body === undefined ? "" : JSON.stringify(answer.body));
  }

  private async answer(request: IncomingMessage, url: URL, body: string): Promise<ApiAnswer> {
    const fields = Object.fromEntries(new URLSearchParams(body));
    if (/^\/o\/oauth2\/v2\/auth$|^\/common\/oauth2\/v2.0\/authorize$/.test(url.pathname)) return this.authorize(url);
    if (/^\/token$|^\/common\/oauth2\/v2.0\/token$/.test(url.pathname)) return this.giveTokens(fields);
    if (url.pathname === "/revoke") return this.revoke(fields);
    if (url.pathname === "/introspect") return this.introspect(fields);

    const { headers, method = "GET" } = request;
    const person = this.whose(/^Bearer (.*)$/.exec(headers.authorization ?? "")?.[1] ?? "");
    if (person === null) return { status: 401, body: { error: { code: 401, message: "Invalid Credentials" } } };
    if (url.pathname === "/oauth2/v3/userinfo")
      return { body: { sub: person.subject, email: person.email, email_verified: true, name: person.name } };
    if (url.pathname === "/v1.0/me")
      return {
        body: {
          id: person.subject,
          mail: person.email,
          userPrincipalName: person.signsInAs ?? person.email,
          displayName: person.name,
        },
      };
    for (const api of this.apis) {
      const answer = await api({ method, url, headers, body, person });
      if (answer !== null) return answer;
    }
    return { status: 404, body: { error: { code: 404, message: `nothing at ${url.pathname}` } } };
  }

  // --- consent ---

  private authorize({ searchParams }: URL): ApiAnswer {
    const given = Object.fromEntries(searchParams);
    const isFit =
      given.client_id === client.id && given.response_type === "code" && given.code_challenge_method === "S256" && given.state;
    if (!isFit) throw new Refused(400, "invalid_request");
    const back = new URL(given.redirect_uri!);
    back.searchParams.set("state", given.state!);
    if (this.decision === "deny") back.searchParams.set("error", "access_denied");
    else {
      const code = `code-${randomBytes(8).toString("hex")}`;
      const scopes = this.decision === "allow" ? given.scope!.split(" ") : this.decision;
      const { person } = this;
      const [challenge, redirect_uri] = [given.code_challenge!, given.redirect_uri!];
      this.codes.set(code, { person, client_id: client.id, scopes, challenge, redirect_uri });
      back.searchParams.set("code", code);
    }
    return { status: 302, headers: { location: back.href } };
  }

  // --- tokens ---

  private async giveTokens(fields: Record<string, string>): Promise<ApiAnswer> {
    this.asked.push(fields);
    await this.beforeTokens?.();
    if (this.refuses !== null) return this.refuses;
    if (fields.client_id !== client.id || fields.client_secret !== client.secret) throw new Refused(401, "invalid_client");
    if (fields.grant_type === "refresh_token") return this.refresh(fields);
    const found = this.codes.get(fields.code ?? "");
    this.codes.delete(fields.code ?? "");
    const challenge = createHash("sha256")
      .update(fields.code_verifier ?? "")
      .digest("base64url");
    if (found?.challenge !== challenge || found.redirect_uri !== fields.redirect_uri) throw new Refused(400, "invalid_grant");
    return this.tokensOf(found, fields.scope, this.newRefreshToken(found));
  }

  private refresh({ refresh_token = "", scope }: Record<string, string>): ApiAnswer {
    const grant = this.grants.get(refresh_token);
    if (grant === undefined) throw new Refused(400, "invalid_grant");
    if (!this.rotates) return this.tokensOf(grant, scope);
    this.grants.delete(refresh_token);
    return this.tokensOf(grant, scope, this.newRefreshToken(grant));
  }

  private newRefreshToken(grant: Grant): string {
    const token = `refresh-${randomBytes(8).toString("hex")}`;
    this.grants.set(token, grant);
    return token;
  }

  private tokensOf(grant: Grant, scope: string | undefined, refresh_token?: string): ApiAnswer {
    const access_token = `access-${randomBytes(8).toString("hex")}`;
    this.tokens.set(access_token, grant);
    const { expires_in } = this;
    return {
      body: { access_token, token_type: "Bearer", expires_in, scope: scope ?? grant.scopes.join(" "), refresh_token },
    };
  }

  /** For servers of mail (RFC 7662). */
  private introspect({ token = "" }: Record<string, string>): ApiAnswer {
    const email = this.whose(token)?.email;
    return { body: email === undefined ? { active: false } : { active: true, email } };
  }

  private revoke({ token = "" }: Record<string, string>): ApiAnswer {
    if (this.beforeRevoking !== null) return this.beforeRevoking();
    this.revoked.push(token);
    const grant = this.grants.get(token);
    if (grant === undefined) throw new Refused(400, "invalid_token");
    this.withdraw(grant.person.email);
    return { status: 200, body: {} };
  }
}
