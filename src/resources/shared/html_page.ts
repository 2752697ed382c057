// The pages that the service shows to anybody with a link: no scripts, nothing from other servers, and no images but those that are in
// the page itself.
import { createHash } from "node:crypto";
import { Content } from "../../core/operation.ts";
import { escapeHtml } from "../../values/html.ts";

interface HtmlPage {
  title: string;
  /** All of its CSS. No element has a style of its own. */
  style: string;
  /** The content of `main`, as HTML. The caller has escaped every text. */
  body: string;
  /** The page contains images, as `data:`. */
  images?: boolean;
}

export const htmlPage = ({ title, style, body, images = false }: HtmlPage): Content =>
  new Content(
    "text/html; charset=utf-8",
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`,
    pageHeaders(style, images),
  );

/**
 * The headers of a page, and of a redirect to one. Links from the page do not reveal its address, and no other page can embed it.
 */
export const pageHeaders = (style: string, images = false): Record<string, string> => ({
  "content-security-policy": `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'${images ? "; img-src data:" : ""}`,
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow",
  "cache-control": "private, no-store",
});
