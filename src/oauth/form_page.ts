// The answer to a client that asked for it as a form (OAuth 2.0 Form Post Response Mode): a page that sends itself on at once, or by
// its button where there is no script. The engine's own page would be stopped by our policy.
import type { KoaContextWithOIDC } from "oidc-provider";
import { page } from "../signin/page.ts";
import { html } from "../values/html_template.ts";
import { nameToShow } from "./clients.ts";
import { leadsTo } from "./redirects.ts";

/** What clients call it, and what the engine does, which has a page of its own by that name. */
export const formPost = "form_post";
export const ownFormPost = "headwater_form_post";

const script = "document.forms[0].submit();";

export function formPage(ctx: KoaContextWithOIDC, action: string, values: Readonly<Record<string, unknown>>): void {
  const fields = Object.entries(values).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${String(value)}">`,
  );
  const { type, body, headers } = page({
    title: `Back to ${nameToShow(ctx.oidc.client!)}`,
    formsLeadTo: leadsTo(action),
    script,
    body: html`<form method="post" action="${action}">${fields}<button class="main">Go on</button></form>`,
  });
  ctx.status = 200;
  ctx.type = type;
  ctx.set({ ...headers, "cache-control": "no-store" });
  ctx.body = body;
}
