// The parser of HTML that strangers write: it reads whatever a browser would read. It is loaded with the first text that holds markup
// (50 ms, 6 MB of RSS).
import { createRequire } from "node:module";
import type { IOptions } from "sanitize-html";

type Sanitize = typeof import("sanitize-html");
let library: Sanitize | undefined;

/** Only an attack nests this deep, and the parser's time is quadratic in the depth (1 MB of `<b>`: 20 s). */
const ABSURD_DEPTH = 500;
class TooDeep extends Error {}
/** What settles does so at the second reading. */
const READINGS = 5;

/**
 * Tidy HTML with what `kept` names, and addresses of harmless kinds. Null for what nests absurdly. It is read until that changes
 * nothing: `<p><b<p><p>` becomes `<p><p></p></p>`, and without the unknown tag in between one paragraph ends the other.
 */
export function sanitized(html: string, kept: IOptions): string | null {
  let before = html;
  for (let reading = 0; reading < READINGS; reading++) {
    const tidy = sanitizedOnce(before, kept);
    if (tidy === null || tidy === before) return tidy;
    before = tidy;
  }
  return null;
}

function sanitizedOnce(html: string, kept: IOptions): string | null {
  library ??= createRequire(import.meta.url)("sanitize-html") as Sanitize;
  let depth = 0;
  const options: IOptions = {
    ...kept,
    allowedSchemes: ["http", "https", "mailto", "tel"],
    allowedSchemesByTag: { img: ["http", "https", "cid"] },
    allowProtocolRelative: false,
    parseStyleAttributes: false,
    onOpenTag: () => {
      if (++depth > ABSURD_DEPTH) throw new TooDeep();
    },
    onCloseTag: () => {
      depth--;
    },
  };
  try {
    return library(html, options);
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    return null;
  }
}
