// The tables: event types, errors, permissions, rate limits.
import { scopes } from "../../core/context.ts";
import { builtInRoles, permissions } from "../../core/permissions.ts";
import { objectTypesOf } from "../../records/object_types.ts";
import { eventCatalog } from "../../resources/events/event_names.ts";
import { type Html, html } from "../../values/html_template.ts";
import { pageOf } from "../areas.ts";
import { prose, type Shown, type Site, to } from "../site.ts";
import { linkTo } from "./link.ts";

export function eventsPage(site: Site): Shown {
  const byType = new Map(site.registry.resources.flatMap((one) => objectTypesOf(one).map((type) => [type, one] as const)));
  const rows = [...eventCatalog].map(([type, actions]) => {
    const resource = byType.get(type);
    return html`<tr id="${type}"><td><code>${type}</code></td><td>${actions.map((action) => html`<code>${action}</code> `)}${actions.length === 0 ? "names of your own" : null}</td><td>${resource === undefined ? null : linkTo(site, resource.name)}</td></tr>`;
  });
  const body = html`<h1>Event types</h1>
<p class="lead">Every change is an event. Its name is the type and the action: <code>lead.created</code>. <a href="${to(site, "guides/following-events/")}">Follow events</a>, or let a <a href="${to(site, "guides/webhooks/")}">webhook</a> bring them: it takes names, <code>lead.*</code> and <code>*</code>.</p>
${table(["Type", "Actions", "Record"], rows)}`;
  return { title: "Event types", body };
}

const meanings: Record<string, [string, string]> = {
  400: ["Something you sent is wrong.", "`field-errors` says what, by field. Mend it; sent again as it is, it is refused again."],
  401: ["There is no key, or it is not valid.", "Send the key as the user name of HTTP Basic, or as a bearer token."],
  402: ["The account is past due, or paid credits are used up.", "Reads go on. Write again when it is paid."],
  403: ["Your role or your key may not do this.", "The sentence names the permission. An admin gives it to your role."],
  404: ["It does not exist, or you may not see it.", "The two look the same, so that nobody learns what is there."],
  405: ["The path has no such method.", "The header `allow` lists those that it has."],
  409: ["The first request with this `Idempotency-Key` is still running.", "Wait as `retry-after` says, and send it again."],
  412: ["The record has changed since you read it.", "Read it again, and decide again."],
  416: ["The range is outside of the file.", "Ask for a part that it has; `content-range` says how long it is."],
  422: ["This `Idempotency-Key` was used for another request.", "Use a new key for a new request."],
  429: ["Too many requests.", "Wait as `retry-after` says."],
  500: ["A mistake of the service.", "Send it again with the same `Idempotency-Key`. If it stays, report the `x-request-id`."],
  503: ["The service is busy, or something it needs is away.", "Wait as `retry-after` says, and send it again."],
};

export function errorsPage(site: Site): Shown {
  const rows = Object.keys(meanings).map(
    (status) =>
      html`<tr id="${status}"><td><code>${status}</code></td><td>${meanings[status]![0]}</td><td>${prose(meanings[status]![1])}</td></tr>`,
  );
  const body = html`<h1>Errors</h1>
<p class="lead">A refusal is JSON with <code>error</code>, one sentence, and <code>field-errors</code>, what is wrong by field. Its status says what to do. <a href="${to(site, "guides/errors/")}">The guide</a> shows how to handle them.</p>
${table(["Status", "What happened", "What to do"], rows)}`;
  return { title: "Errors", body };
}

export function permissionsPage(site: Site): Shown {
  const roles = Object.keys(builtInRoles);
  const rows = permissions.map((name) => {
    const needing = site.registry.operations.filter((one) => one.permission === name);
    return html`<tr id="${name}"><td><code>${name}</code></td>${roles.map((role) => html`<td>${builtInRoles[role]!.includes(name) ? "yes" : "–"}</td>`)}<td>${needing.length === 0 ? "checked by the records it is about" : html`<details><summary>${needing.length === 1 ? "1 operation" : `${needing.length} operations`}</summary>${needing.map((one) => html`<div>${operationLink(site, one.name, `${one.method} ${one.path}`)}</div>`)}</details>`}</td></tr>`;
  });
  const body = html`<h1>Permissions and scopes</h1>
<p class="lead">A role holds permissions, and a key acts with the role of its member. A scope bounds what a connection may do, whatever the role may. <a href="${to(site, "guides/keys/")}">Keys and permissions</a></p>
<h2 id="permissions">Permissions</h2>
<p>Roles of your own hold any of them. These are in every workspace:</p>
${table(["Permission", ...roles, "Needed by"], rows)}
<h2 id="scopes">Scopes</h2>
${table(
  ["Scope", "What it allows", "Operations"],
  scopes.map(
    (scope, i) =>
      html`<tr><td><code>${scope}</code></td><td>${scopeWords[i]!}</td><td>${site.registry.operations.filter((one) => one.scope === scope).length}</td></tr>`,
  ),
)}`;
  return { title: "Permissions and scopes", body };
}

const scopeWords = [
  "Reading.",
  "What can be undone or does no harm, and reading.",
  "Everything, deleting and sending to many too.",
];

function operationLink(site: Site, name: string, words: string): Html {
  const page = pageOf(name);
  return page === undefined ? html`${words}` : html`<a href="${to(site, `resources/${page.name}/`)}">${words}</a>`;
}

export function limitsPage(site: Site): Shown {
  const groups = ["read", "write", "search", "report", "bulk", "ai"] as const;
  const words: Record<(typeof groups)[number], string> = {
    read: "Reads of one record or a list.",
    write: "Creating, changing and deleting one record.",
    search: "Searches over everything.",
    report: "Reports.",
    bulk: "What begins work on many records.",
    ai: "What a language model answers.",
  };
  const rows = groups.map(
    (group) =>
      html`<tr id="${group}"><td><code>${group}</code></td><td>${site.limits?.get(group) ?? "none here"}</td><td>${words[group]}</td><td>${site.registry.operations.filter((one) => one.group === group).length}</td></tr>`,
  );
  const body = html`<h1>Rate limits</h1>
<p class="lead">Each key has a limit for each group of operations, and its workspace one that is three times as wide. Every answer says how much is left.</p>
${table(["Group", "Requests of a key", "What is in it", "Operations"], rows)}
<p>The headers of every answer: <code>ratelimit-limit</code>, <code>ratelimit-remaining</code>, <code>ratelimit-reset</code> (seconds) and <code>ratelimit-policy</code>, which names the group. One request too many is a <a href="${to(site, "errors/")}#429">429</a> with <code>retry-after</code>. The operator <a href="${to(site, "guides/configuration/")}">sets the limits</a>.</p>`;
  return { title: "Rate limits", body };
}

const table = (heads: readonly string[], rows: readonly Html[]): Html =>
  html`<div class="table" tabindex="0" role="group" aria-label="${heads[0]!}"><table><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>
${rows}
</tbody></table></div>`;
