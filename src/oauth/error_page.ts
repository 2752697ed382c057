// What a person sees when a request of a client is so wrong that they cannot be sent back to it.
import type { ErrorOut, KoaContextWithOIDC } from "oidc-provider";
import { page } from "../signin/page.ts";
import { html } from "../values/html_template.ts";

export function errorPage(ctx: KoaContextWithOIDC, { error, error_description }: ErrorOut): void {
  const { type, body, headers } = page({
    title: "This request cannot be answered",
    body: html`<p>The application that sent you here made a mistake, so nothing was allowed. You can close this page.</p>
<p class="soft">For its developers: <code>${error}</code>${error_description === undefined ? "" : `, ${error_description}`}.</p>`,
  });
  ctx.type = type;
  ctx.set(headers);
  ctx.body = body;
}
