// One request of a browser to our pages: who is signed in there, and whether its form came from our own page.
import { randomBytes } from "node:crypto";
import { findSession, insertSession, type Person, type Session, touchSession } from "../auth/unscoped_sign_in.ts";
import type { Core } from "../core/core.ts";
import { Content } from "../core/operation.ts";
import type { PublicAnswer } from "../records/public_route.ts";
import { type Html, html } from "../values/html_template.ts";
import { newId } from "../values/id.ts";
import { cookie, readCookie } from "./cookies.ts";
import { page } from "./page.ts";

const hour = 3600 * 1000;
const idleMs = 12 * hour;
const sessionMs = 30 * 24 * hour;
const pendingMs = hour / 6;
const touchMs = hour / 12;
/** What is dangerous asks for the password again after this long. */
const confirmedMs = hour / 6;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface Visitor {
  headers: Headers;
  ip: string;
}

export interface Visit {
  core: Core;
  visitor: Visitor;
  /** The text of the session's cookie. */
  token: string | null;
  session: Session | null;
  person: Person | null;
  /** What forms are bound to: the session, or else a cookie of their own. */
  browser: string;
  /** The cookie has to be set. */
  isNew: boolean;
}

/** A visit whose person is signed in, second factor included. */
export type SignedIn = Visit & { session: Session; person: Person; token: string };

export async function visitOf(core: Core, visitor: Visitor): Promise<Visit> {
  const { base_url } = core.settings;
  const token = readCookie(base_url, visitor.headers.cookie, "session");
  const now = core.clock();
  const found = token === null ? null : await findSession(core.db, token, { now, idleSince: new Date(now.getTime() - idleMs) });
  if (found !== null && now.getTime() - found.session.last_seen_at.getTime() > touchMs)
    await touchSession(core.db, found.session.id, now);
  const browser = (found && token) ?? readCookie(base_url, visitor.headers.cookie, "form");
  return {
    core,
    visitor,
    token: found && token,
    session: found?.session ?? null,
    person: found?.person ?? null,
    browser: browser ?? newToken(),
    isNew: browser === null,
  };
}

export const isSignedIn = (visit: Visit): visit is SignedIn => visit.session !== null && !visit.session.is_pending;

/** They proved a moment ago who they are. */
export const isConfirmed = ({ core, session }: SignedIn): boolean =>
  core.clock().getTime() - session.confirmed_at.getTime() < confirmedMs;

/** Starts a session under a new secret, in place of the present one, and returns its cookie. */
export async function beginSession(
  { core, visitor, token }: Visit,
  person: Person,
  methods: readonly string[],
  isPending: boolean,
): Promise<string> {
  const now = core.clock();
  const secret = newToken();
  const lifetime = isPending ? pendingMs : sessionMs;
  const given = {
    id: newId("sess", now.getTime()),
    user_id: person.id,
    methods,
    is_pending: isPending,
    ip: visitor.ip,
    user_agent: String(visitor.headers["user-agent"] ?? "").slice(0, 300),
    now,
    expires_at: new Date(now.getTime() + lifetime),
  };
  await insertSession(core.db, secret, given, token);
  return cookie(core.settings.base_url, "session", secret, lifetime / 1000);
}

export const newToken = (): string => randomBytes(32).toString("base64url");

// --- forms ---

/** The path of a page below the host, whatever path the service itself lies at. */
export const pathOf = (core: Core, path: string): string => new URL(core.settings.base_url).pathname.replace(/\/$/, "") + path;

const tokenOf = ({ core, browser }: Visit): string =>
  core.settings.secrets.derive({ table: "form", column: "token", organization_id: "", id: browser });

/** A form of ours. Its hidden field is right only in the browser that it was made for. */
export const form = (visit: Visit, action: string, content: Html, data: Readonly<Record<string, string>> = {}): Html =>
  html`<form method="post" action="${pathOf(visit.core, action)}"${Object.entries(data).map(([name, value]) => html` data-${name}="${value}"`)}>
<input type="hidden" name="form" value="${tokenOf(visit)}">
${content}
</form>`;

/** Whether a form that was sent is ours and came from the browser that we gave it to. */
export function isOwnForm(visit: Visit, fields: Readonly<Record<string, string>>): boolean {
  const { host, origin, "sec-fetch-site": site } = visit.visitor.headers;
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  if (origin !== undefined && origin !== "null" && URL.parse(String(origin))?.host !== host) return false;
  return !visit.isNew && fields.form === tokenOf(visit);
}

// --- answers ---

export const show = (visit: Visit, content: Content, status = 200): PublicAnswer => ({
  status,
  content: visit.isNew ? withCookie(content, cookie(visit.core.settings.base_url, "form", visit.browser)) : content,
});

/** For who has guessed too often. */
export function showLater(visit: Visit, content: Content, seconds: number): PublicAnswer {
  const { type, body, headers } = content;
  return show(visit, new Content(type, body, { ...headers, "retry-after": String(seconds) }), 429);
}

export const seeOther = ({ core }: Visit, path: string, setCookie?: string): PublicAnswer => {
  const location = /^[a-z]+:/.test(path) ? path : pathOf(core, path);
  const content = new Content("text/plain; charset=utf-8", "", {
    location,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  });
  return { status: 303, content: setCookie === undefined ? content : withCookie(content, setCookie) };
};

export const withCookie = ({ type, body, headers }: Content, setCookie: string): Content =>
  new Content(type, body, { ...headers, "set-cookie": setCookie });

/** For a form that is not ours, was kept for too long, or came from another site. */
export const staleForm = (visit: Visit): PublicAnswer =>
  show(
    visit,
    page({
      title: "Please try again",
      body: html`<p>This form was open for too long, or your browser keeps no cookies. Nothing was changed.</p>
<p><a href="${pathOf(visit.core, "/account/")}">Go to your account</a></p>`,
    }),
    403,
  );
