// /account/api_keys/: a person's keys in their workspaces. A new one is shown once. It goes the same way as `POST /api_key/`.
import { memberActor } from "../auth/token.ts";
import { type ActiveMembership, membershipsToActIn } from "../auth/unscoped_oauth.ts";
import { type Actor, type Ctx, query, scopes, scopesUpTo } from "../core/context.ts";
import type { Core } from "../core/core.ts";
import type { TextRow } from "../db/database.ts";
import { actingAs, readingAs } from "../records/acting.ts";
import { deleteRecord } from "../records/records.ts";
import { apiKey } from "../resources/organization/api_key.ts";
import { createApiKey } from "../resources/organization/api_key_verbs.ts";
import { type Html, html } from "../values/html_template.ts";
import { newId } from "../values/id.ts";
import { oneLine } from "../values/one_line.ts";
import { mayDo, ownPage } from "./account_page.ts";
import { confirmFirst } from "./confirm_page.ts";
import { page } from "./page.ts";
import { form, isConfirmed, pathOf, type SignedIn, seeOther, show } from "./visit.ts";

export const apiKeysPage = ownPage("/account/api_keys", "A person's API keys.", async (visit, fields) => {
  if (fields === null) return show(visit, await keysPage(visit, null));
  if (!isConfirmed(visit)) return confirmFirst(visit, "/account/api_keys/");
  const memberships = await membershipsToActIn(visit.core.db, visit.person.id);
  const membership = memberships.find((one) => one.organization_id === fields.workspace);
  if (membership === undefined)
    return show(visit, await keysPage(visit, null, "You are no member of that workspace (any more)."), 400);
  const actor = memberActor(visit.person.id, membership);
  if (fields.act === "delete") {
    await inside(visit.core, actor, (ctx) => deleteRecord(ctx, apiKey, fields.id ?? ""));
    return seeOther(visit, "/account/api_keys/");
  }
  // A page that is loaded again sends its form again.
  if ((fields.after ?? "") !== newestOf(await keysOf(visit, memberships)))
    return show(
      visit,
      await keysPage(visit, null, "This form was sent before, and its key was made. If you did not copy it, delete it."),
      409,
    );
  const name = oneLine(fields.name ?? "", 100) || "API key";
  const scope = scopes.find((one) => one === fields.scope) ?? "read";
  const made = await inside(visit.core, actor, (ctx) => createApiKey(ctx, { name, scopes: [...scopesUpTo(scope)] }));
  return show(visit, await keysPage(visit, made.key));
});

const inside = <T>(core: Core, actor: Actor, work: (ctx: Ctx) => Promise<T>): Promise<T> =>
  actingAs(core, actor, { id: newId("req"), method: "POST", path: "/account/api_keys/" }, work);

interface Keys {
  membership: ActiveMembership;
  rows: TextRow[];
}

/** The person's keys in their workspaces, in each the newest first. */
const keysOf = ({ core, person }: SignedIn, memberships: readonly ActiveMembership[]): Promise<Keys[]> =>
  Promise.all(
    memberships.map(async (membership) => {
      const request = { id: newId("req"), method: "GET", path: "/account/api_keys/" };
      const ctx = await readingAs(core, memberActor(person.id, membership), request);
      const rows = await query(ctx, {
        name: "account.api_keys",
        text: `select id, name, key_preview, array_to_string(scopes, ' '), to_char(last_used_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') from api_key
           where organization_id = $1 and user_id = $2 order by date_created desc, id desc limit 50`,
        values: [ctx.organization_id, person.id],
      });
      return { membership, rows };
    }),
  );

/** The id of the newest one; empty when there is none. */
const newestOf = (keys: readonly Keys[]): string =>
  keys
    .flatMap(({ rows: [row] }) => row?.[0] ?? [])
    .toSorted()
    .at(-1) ?? "";

async function keysPage(visit: SignedIn, made: string | null, wrong?: string) {
  const memberships = await membershipsToActIn(visit.core.db, visit.person.id);
  const keys = await keysOf(visit, memberships);
  return page({
    title: "API keys",
    body: html`<div class="wide"></div>
${wrong === undefined ? null : html`<p class="wrong" role="alert">${wrong}</p>`}
${made === null ? null : html`<p class="done" role="status">Your new key is shown only now. Copy it:</p><p><code>${made}</code></p>`}
${keys.map((one) => shownKeys(visit, one))}
${memberships.length === 0 ? html`<p>You are a member of no workspace, so there is nothing that a key could open.</p>` : newKeyForm(visit, memberships, newestOf(keys))}
<p class="hint"><a href="${pathOf(visit.core, "/account/")}">Back to your account</a></p>`,
  });
}

function shownKeys(visit: SignedIn, { membership, rows }: Keys): Html {
  if (rows.length === 0) return html`<h2>${membership.organization_name}</h2><p>No keys.</p>`;
  const items = rows.map(
    ([id, name, preview, given, used]) => html`<li><span><strong>${name!}</strong> <code>…${preview!}</code><br>
<span class="soft">${wordsOf(given!)}; ${used === null ? "not used yet" : `last used ${used} UTC`}</span></span>
${form(
  visit,
  "/account/api_keys/",
  html`<input type="hidden" name="id" value="${id!}"><input type="hidden" name="workspace" value="${membership.organization_id}">
<details><summary aria-label="Delete the key ${name!}">Delete</summary>
<button name="act" value="delete">Delete the key ${name!}: what uses it stops working</button></details>`,
)}</li>`,
  );
  return html`<h2>${membership.organization_name}</h2><ul class="list">${items}</ul>`;
}

const wordsOf = (given: string): string => mayDo[scopes.findLast((scope) => given.split(" ").includes(scope)) ?? "read"];

const newKeyForm = (visit: SignedIn, memberships: readonly ActiveMembership[], newest: string): Html => html`<h2>A new key</h2>
${form(
  visit,
  "/account/api_keys/?new",
  html`<input type="hidden" name="after" value="${newest}">
<label for="name">What it is for</label>
<input id="name" name="name" required maxlength="100" autocomplete="off">
<label for="workspace">Workspace</label>
<select id="workspace" name="workspace">${memberships.map((one) => html`<option value="${one.organization_id}">${one.organization_name}</option>`)}</select>
<label for="scope">What it may do</label>
<select id="scope" name="scope"><option value="read">Read</option><option value="write_safe" selected>Read, create, change and send</option>
<option value="write_destructive">Everything that you may, deleting included</option></select>
<div class="buttons"><button class="main" name="act" value="create">Create the key</button></div>`,
)}`;
