// /account/: what a person sees of their own sign-in: what is connected, where they are signed in, and their password.
import { hashPassword, isPassword } from "../auth/password.ts";
import { type ConnectedClient, grantsOf, membershipsToActIn, revokeOwnGrant } from "../auth/unscoped_oauth.ts";
import { endOtherSessions, endSession, type Session, sessionsOf, setPassword } from "../auth/unscoped_sign_in.ts";
import { type Scope, scopes } from "../core/context.ts";
import type { PublicAnswer, PublicRoute } from "../records/public_route.ts";
import { type Html, html } from "../values/html_template.ts";
import { secondsToWait, waitFirst } from "./attempts.ts";
import { cookie } from "./cookies.ts";
import { page } from "./page.ts";
import { faultOf } from "./password_rules.ts";
import { form, isOwnForm, isSignedIn, pathOf, type SignedIn, seeOther, show, staleForm, visitOf } from "./visit.ts";

/** A page of the account: who is not signed in goes there first, and forms of other sites are refused. */
export function ownPage(
  path: string,
  doc: string,
  serve: (visit: SignedIn, fields: Readonly<Record<string, string>> | null) => Promise<PublicAnswer>,
): PublicRoute {
  return {
    name: `account${path.slice("/account".length).replaceAll("/", ".")}.page`,
    path,
    doc,
    methods: ["GET", "POST"],
    group: "sign_in",
    async run(core, request) {
      const visit = await visitOf(core, request);
      if (!isSignedIn(visit)) return seeOther(visit, `/sign-in/?next=${encodeURIComponent(`${path}/`)}`);
      if (request.method === "GET") return serve(visit, null);
      return isOwnForm(visit, request.form) ? serve(visit, request.form) : staleForm(visit);
    },
  };
}

export const accountPage = ownPage("/account", "A person's own account.", async (visit, fields) => {
  if (fields === null) return show(visit, await accountOf(visit));
  const { core, person, session } = visit;
  if (fields.act === "sign_out") {
    await endSession(core.db, person.id, session.id);
    return seeOther(visit, "/sign-in/", cookie(core.settings.base_url, "session", "", 0));
  }
  if (fields.act === "end_session") await endSession(core.db, person.id, fields.id ?? "");
  if (fields.act === "end_others") await endOtherSessions(core.db, person.id, session.id);
  if (fields.act === "disconnect") await disconnect(visit, fields.id ?? "");
  return seeOther(visit, "/account/");
});

/** Ends all connections of a client in a workspace: to its person they are one. */
async function disconnect({ core, person }: SignedIn, id: string): Promise<void> {
  const grants = await grantsOf(core.db, person.id, core.clock());
  const one = grants.find((grant) => grant.id === id);
  for (const grant of grants)
    if (one !== undefined && placeOf(grant) === placeOf(one)) await revokeOwnGrant(core, person.id, grant.id);
}

const placeOf = ({ client_id, organization_id }: ConnectedClient): string => `${client_id} ${organization_id}`;

async function accountOf(visit: SignedIn) {
  const { core, person, session } = visit;
  const now = core.clock();
  const [memberships, clients, sessions] = await Promise.all([
    membershipsToActIn(core.db, person.id),
    grantsOf(core.db, person.id, now),
    sessionsOf(core.db, person.id, now),
  ]);
  const link = (path: string, words: string) => html`<li><a href="${pathOf(core, path)}">${words}</a></li>`;
  return page({
    title: person.name,
    body: html`<div class="wide"></div>
<p class="soft">${person.email}</p>
<p>${memberships.length === 0 ? "You are a member of no workspace yet." : `You work in ${memberships.map((one) => one.organization_name).join(", ")}.`}</p>
<ul>${[
      link("/account/password/", person.password_hash === null ? "Set a password" : "Change the password"),
      link("/account/passkeys/", "Passkeys"),
      link("/account/two_factor/", person.has_totp ? "The second factor is on" : "Turn on a second factor"),
      link("/account/api_keys/", "API keys"),
    ]}</ul>
<h2>Connected applications</h2>
${clients.length === 0 ? html`<p>None.</p>` : html`<ul class="list">${[...Map.groupBy(clients, placeOf).values()].map((grants) => clientOf(visit, grants))}</ul>`}
<h2>Where you are signed in</h2>
<ul class="list">${sessions.map((one) => sessionOf(visit, one, one.id === session.id))}</ul>
<div class="buttons">${form(visit, "/account/", html`<button name="act" value="sign_out">Sign out here</button>`)}
${sessions.length > 1 ? form(visit, "/account/", html`<button name="act" value="end_others">Sign out everywhere else</button>`) : null}</div>`,
  });
}

/** A client that was connected from several devices is one in the list, with the widest of what it may. Newest first. */
const clientOf = (visit: SignedIn, grants: readonly ConnectedClient[]): Html => {
  const { id, client_name, organization_name } = grants[0]!;
  const uses = grants.flatMap(({ last_used_at }) => (last_used_at === null ? [] : [last_used_at.getTime()]));
  const used = uses.length === 0 ? "not used yet" : `last used ${dayOf(new Date(Math.max(...uses)))}`;
  const since = dayOf(grants.at(-1)!.date_created);
  const often = grants.length === 1 ? "" : `, ${grants.length} connections`;
  const widest = scopes.findLast((scope) => grants.some((one) => one.scope.split(" ").includes(scope))) ?? "read";
  return html`<li><span><strong>${client_name}</strong> in ${organization_name}<br><span class="soft">${mayDo[widest]}; since ${since}, ${used}${often}</span></span>
${form(visit, "/account/", html`<input type="hidden" name="id" value="${id}"><button name="act" value="disconnect" aria-label="Disconnect ${client_name}">Disconnect</button>`)}</li>`;
};

export const mayDo: Readonly<Record<Scope, string>> = {
  read: "Reads",
  write_safe: "Reads, changes and sends",
  write_destructive: "Reads, changes, sends and deletes",
};

const sessionOf = (visit: SignedIn, one: Session, isHere: boolean): Html => {
  const device = deviceOf(one.user_agent);
  return html`<li><span>${device}${isHere ? html` <strong>(here)</strong>` : null}<br><span class="soft">${one.ip}, last seen ${dayOf(one.last_seen_at)}</span></span>
${isHere ? null : form(visit, "/account/", html`<input type="hidden" name="id" value="${one.id}"><button name="act" value="end_session" aria-label="Sign out ${device}">Sign out</button>`)}</li>`;
};

export const dayOf = (moment: Date): string => `${moment.toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** Enough to recognize one's own device. */
export function deviceOf(agent: string): string {
  const browser = /(Edg|Firefox|OPR|Chrome|Safari)\//.exec(agent)?.[1];
  const system = /(Android|iPhone|iPad|Windows|Mac OS X|Linux)/.exec(agent)?.[1];
  return (
    [browser === "Edg" ? "Edge" : browser === "OPR" ? "Opera" : browser, system].filter(Boolean).join(" on ") || "Another program"
  );
}

// --- the password ---

export const changePasswordPage = ownPage(
  "/account/password",
  "Where a person changes their password.",
  async (visit, fields) => {
    if (fields === null) return show(visit, changeForm(visit));
    const { core, person, session } = visit;
    const fault = await faultOfChange(visit, fields);
    if (fault !== null) return show(visit, changeForm(visit, fault), 400);
    await setPassword(core, person.id, await hashPassword(fields.password!), session.id);
    return seeOther(visit, "/account/");
  },
);

async function faultOfChange(
  { core, person, visitor }: SignedIn,
  fields: Readonly<Record<string, string>>,
): Promise<string | null> {
  if (person.password_hash !== null) {
    const wait = await secondsToWait(core, person.email, visitor.ip);
    if (wait > 0) return waitFirst(wait);
    if (!(await isPassword(person.password_hash, (fields.present ?? "").slice(0, 500)))) return "The present password is wrong.";
  }
  return faultOf(core, person, fields.password ?? "");
}

const changeForm = (visit: SignedIn, wrong?: string) =>
  page({
    title: visit.person.password_hash === null ? "Set a password" : "Change your password",
    body: html`${wrong === undefined ? null : html`<p class="wrong" role="alert">${wrong}</p>`}
${form(
  visit,
  "/account/password/",
  html`<input type="hidden" name="username" autocomplete="username" value="${visit.person.email}">
${
  visit.person.password_hash === null
    ? null
    : html`<label for="present">Present password</label>
<input id="present" name="present" type="password" autocomplete="current-password" required maxlength="500">`
}
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="10" maxlength="500" aria-describedby="rule">
<p class="hint" id="rule">At least 10 characters. You are signed out everywhere else, and connected applications have to be allowed again.
API keys go on working.</p>
<div class="buttons"><button class="main">Save</button></div>`,
)}
<p class="hint"><a href="${pathOf(visit.core, "/account/")}">Back to your account</a></p>`,
  });
