// Members who connect accounts: a service with Google and Microsoft applications, a server that plays both, and a person's steps
// in a browser.
import { after, beforeEach } from "node:test";
import { organization, type Workspace } from "./given.ts";
import { ann, type OauthServer, type Person, startOauthProvider } from "./oauth_provider.ts";
import { type Service, startService } from "./service.ts";

export type ProviderName = "google" | "microsoft";

let shared: Promise<{ service: Service; provider: OauthServer }> | null = null;

after(async () => (await shared)?.service.close());

beforeEach(async () => {
  if (shared === null) return;
  const { service, provider } = await shared;
  service.clock.now = null;
  Object.assign(provider, {
    person: ann,
    decision: "allow",
    rotates: false,
    expires_in: 3600,
    refuses: null,
    beforeTokens: null,
  });
  Object.assign(provider, { asked: [], revoked: [] });
});

async function start() {
  const provider = await startOauthProvider();
  const service = await startService({ env: { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8", ...provider.env } });
  return { service, provider };
}

export async function connecting(): Promise<{ acme: Workspace; provider: OauthServer; service: Service }> {
  shared ??= start();
  const { service, provider } = await shared;
  return { acme: await organization(service), provider, service };
}

export interface Page {
  status: number;
  text: string;
  headers: Headers;
}

/** A page of the service, whatever host the link names. */
export async function open(ws: Workspace, link: URL | string, form?: Record<string, string>): Promise<Page> {
  const { pathname, search } = new URL(link, "http://localhost");
  const body = form && new URLSearchParams(form);
  const answer = await fetch(`${ws.service.url}${pathname}${search}`, { method: form ? "POST" : "GET", body });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

/** Submits the form of a page with its hidden fields. */
export function press(ws: Workspace, { text }: Page): Promise<Page> {
  const plain = (html: string) => html.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
  const [, action] = /<form method="post" action="([^"]*)"/.exec(text)!;
  const inputs = text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return open(ws, plain(action!), Object.fromEntries([...inputs].map(([, name, value]) => [name!, plain(value!)])));
}

/** Goes to the provider and back. Returns where the member is then. */
export async function goAndComeBack(ws: Workspace, provider: OauthServer, type: ProviderName, again?: string): Promise<URL> {
  const which = again === undefined ? "" : `&connected_account_id=${again}`;
  const { url } = await ws.get(`/connected_account/authorize/?_type=${type}${which}`);
  return provider.visit(url);
}

/** Connects an account as a member does, and returns it. */
export async function connect(
  ws: Workspace,
  provider: OauthServer,
  type: ProviderName = "google",
  person: Person = ann,
): Promise<any> {
  provider.person = person;
  const connected = await press(ws, await open(ws, await goAndComeBack(ws, provider, type)));
  if (connected.status !== 200) throw new Error(`${connected.status}: ${connected.text}`);
  const { data } = await ws.get(`/connected_account/?_type=${type}&user_id=${ws.userId}`);
  return data.find((one: any) => one.email === person.email);
}
