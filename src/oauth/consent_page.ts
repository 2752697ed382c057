// /oauth2/consent/{uid}/: what a client wants, in words, and the person's answer: in which workspace, and how much of it. It asks
// each time, and by default for less than everything.
import type { ServerResponse } from "node:http";
import type { Client } from "oidc-provider";
import { type ActiveMembership, insertGrant, lastWorkspaceOf, membershipsToActIn } from "../auth/unscoped_oauth.ts";
import { type Scope } from "../core/context.ts";
import type { Core } from "../core/core.ts";
import type { PublicAnswer } from "../records/public_route.ts";
import { confirmFirst } from "../signin/confirm_page.ts";
import { page } from "../signin/page.ts";
import {
  form,
  isConfirmed,
  isOwnForm,
  isSignedIn,
  pathOf,
  type SignedIn,
  seeOther,
  show,
  staleForm,
  visitOf,
} from "../signin/visit.ts";
import { type Html, html } from "../values/html_template.ts";
import { newId } from "../values/id.ts";
import { hostOf, isLoopback, nameToShow } from "./clients.ts";
import { consentPath, type Engine, grantDays } from "./engine.ts";
import { leadsTo } from "./redirects.ts";
import type { ReadAgain } from "./requests.ts";
import { included, sentences } from "./scopes.ts";

export interface ConsentRequest {
  core: Core;
  engine: Engine;
  uid: string;
  raw: ReadAgain;
  response: ServerResponse;
  ip: string;
  /** The answer, or null to show the page. */
  fields: Readonly<Record<string, string>> | null;
}

/** A request of a client that waits for the person's answer. */
interface Asked {
  client: Client;
  redirectUri: string;
  scopes: readonly Scope[];
  resources: readonly string[];
  memberships: readonly ActiveMembership[];
  /** Where an application worked last. */
  last: string | undefined;
}

export async function consent(request: ConsentRequest): Promise<PublicAnswer> {
  const { core, uid, raw, ip, fields } = request;
  const visit = await visitOf(core, { headers: raw.headers, ip });
  const waiting = await waitingRequest(request);
  if (waiting === null) return show(visit, expiredPage(), 400);
  if (!isSignedIn(visit)) return seeOther(visit, `/sign-in/?next=${encodeURIComponent(`${consentPath}${uid}/`)}`);
  // What a client is allowed lasts longer than this visit.
  if (!isConfirmed(visit) && fields?.answer !== "deny") return confirmFirst(visit, `${consentPath}${uid}/`);
  const { id } = visit.person;
  const asked = { ...waiting, memberships: await membershipsToActIn(core.db, id), last: await lastWorkspaceOf(core.db, id) };
  if (asked.memberships.length === 0) return show(visit, nowhere(visit, uid), 403);
  if (fields === null) return show(visit, consentPage(visit, uid, asked));
  if (!isOwnForm(visit, fields)) return staleForm(visit);
  return seeOther(visit, await answer(request, visit, asked, fields));
}

/** Null when it was answered, took too long, or began in another browser: its cookie is not there. */
async function waitingRequest({
  engine,
  uid,
  raw,
  response,
}: ConsentRequest): Promise<Omit<Asked, "memberships" | "last"> | null> {
  const found = await engine.interactionDetails(raw as never, response as never).catch(() => null);
  if (found === null || found.uid !== uid) return null;
  const { params, prompt } = found;
  const client = await engine.Client.find(String(params.client_id));
  if (client === undefined) return null;
  return {
    client,
    redirectUri: String(params.redirect_uri),
    scopes: included(String(params.scope ?? "")),
    resources: (prompt.details.resources ?? []) as string[],
  };
}

// --- the page ---

const expiredPage = () =>
  page({
    title: "This request is over",
    body: html`<p>It was answered, waited for more than an hour, or began in another browser. Nothing was allowed. Please go back to the
application and connect it again.</p>`,
  });

const nowhere = (visit: SignedIn, uid: string) =>
  page({
    title: "No workspace",
    body: html`<p>You are a member of no workspace, so there is nothing to connect to. Accept an invitation first.</p>
${form(visit, `${consentPath}${uid}/`, html`<button name="answer" value="deny">Back to the application</button>`)}`,
  });

function consentPage(visit: SignedIn, uid: string, asked: Asked) {
  const { client, redirectUri } = asked;
  const name = nameToShow(client);
  return page({
    title: `Connect ${name}?`,
    formsLeadTo: leadsTo(redirectUri),
    body: html`<p><strong>${name}</strong> wants to work in your name, ${visit.person.email}. It sees and changes what you may, and no more.</p>
<dl>${whoItIs(client, redirectUri)}</dl>
${form(
  visit,
  `${consentPath}${uid}/`,
  html`${workspaces(asked)}
<fieldset><legend>It may</legend>${levels(asked)}</fieldset>
<p class="hint">You can end this connection at any time, in your account.</p>
<div class="buttons"><button class="main" name="answer" value="allow">Allow</button><button name="answer" value="deny">Do not allow</button></div>`,
)}
<p class="hint">Not ${visit.person.name}? <a href="${pathOf(visit.core, "/account/")}">Sign out in your account</a>.</p>`,
  });
}

/** Anybody can give a client any name. What cannot be faked is where it describes itself, and where it leads. */
function whoItIs(client: Client, redirectUri: string): Html {
  const host = hostOf(client.clientId);
  const known =
    host === null
      ? html`<dt>Its name</dt><dd>is not verified: anybody can choose any</dd>`
      : html`<dt>It is from</dt><dd>${host}</dd>`;
  const place = isLoopback(redirectUri)
    ? "a program on this device. If you did not just start it yourself, do not allow it"
    : (hostOf(redirectUri) ?? `a program for ${redirectUri.split(":")[0]}:`);
  return html`${known}<dt>You go back to</dt><dd>${place}</dd>`;
}

function workspaces({ memberships, last }: Asked): Html {
  const [first] = memberships;
  if (memberships.length === 1)
    return html`<p>In the workspace <strong>${first!.organization_name}</strong>.</p><input type="hidden" name="workspace" value="${first!.organization_id}">`;
  return html`<label for="workspace">Workspace to begin in</label>
<select id="workspace" name="workspace">${memberships.map((one) => html`<option value="${one.organization_id}"${one.organization_id === last ? html` selected` : null}>${one.organization_name}</option>`)}</select>
<p class="hint">It can switch to your other workspaces.</p>`;
}

/** Deleting is never the default. */
function levels({ scopes }: Asked): readonly Html[] {
  const preset = scopes.includes("write_safe") ? "write_safe" : "read";
  return scopes.map(
    (scope) =>
      html`<label><input type="radio" name="scope" value="${scope}"${scope === preset ? html` checked` : null}> <span>${upTo(scope)}</span></label>`,
  );
}

const upTo = (scope: Scope): string =>
  `${scope === "read" ? "Only " : "Also "}${sentences[scope][0]!.toLowerCase()}${sentences[scope].slice(1)}`;

// --- the answer ---

/** Returns where the browser goes on. */
async function answer(
  { core, engine, raw, response }: ConsentRequest,
  { person }: SignedIn,
  asked: Asked,
  fields: Readonly<Record<string, string>>,
): Promise<string> {
  const goOn = async (result: object): Promise<string> => {
    const how = { mergeWithLastSubmission: false };
    const { pathname } = new URL(await engine.interactionResult(raw as never, response as never, result as never, how));
    return pathname.slice(pathOf(core, "").length);
  };
  const workspace = asked.memberships.find((one) => one.organization_id === fields.workspace);
  const scopes = asked.scopes.includes(fields.scope as Scope) ? included(fields.scope!) : null;
  if (fields.answer !== "allow" || workspace === undefined || scopes === null) {
    return goOn({ error: "access_denied", error_description: "the person did not allow it" });
  }

  const id = newId("grant");
  const now = core.clock();
  await insertGrant(core.db, {
    id,
    user_id: person.id,
    client_id: asked.client.clientId,
    client_name: nameToShow(asked.client),
    scope: scopes.join(" "),
    active_organization_id: workspace.organization_id,
    now,
    expires_at: new Date(now.getTime() + grantDays * 24 * 3600 * 1000),
  });
  const grant = new engine.Grant({ jti: id, accountId: person.id, clientId: asked.client.clientId } as never);
  for (const resource of asked.resources) grant.addResourceScope(resource, scopes.join(" "));
  await grant.save();
  return goOn({ login: { accountId: person.id, remember: false }, consent: { grantId: id } });
}
