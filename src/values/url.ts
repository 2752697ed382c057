/** Web addresses: http and https only, kept as they were written. */

/**
 * `"https://acme.example/a"` → the same, trimmed. Null when it is not a web address of at most 2,048 characters.
 *
 * With `prefix`, a bare domain (`acme.example`) gets `http://`, or `https://` when `secure` is set too. With `secure`, only https
 * passes. An address with a user or password is refused: it would leak into logs and disguise the host.
 */
export function parseUrl(raw: string, { prefix = false, secure = false } = {}): string | null {
  const text = raw.trim();
  const bare = !WEB.test(text);
  if (bare && (!prefix || ANY_SCHEME.test(text))) return null;
  const url = bare ? `${secure ? "https" : "http"}://${text}` : text.replace(WEB, (start) => start.toLowerCase());
  if (url.length > 2_048 || UNSAFE.test(url)) return null;
  if (secure && !url.startsWith("https:")) return null;

  const authority = url.split(/[/?#]/, 3)[2];
  if (!authority || authority.includes("@")) return null;
  const hostname = URL.parse(url)?.hostname;
  return hostname && isHost(hostname, bare) ? url : null;
}

const WEB = /^https?:\/\//i;
const ANY_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
/** Rejects everything that could break out of an attribute or a header line. */
const UNSAFE = /[\s\p{C}<>"`\\]/u;

/** A written-out `http://intranet` is accepted. Without a scheme, only `name.tld` is a domain, and `tel:123` is not. */
function isHost(hostname: string, bare: boolean): boolean {
  if (hostname.split(".").includes("")) return false;
  return !bare || /\.[^.\d][^.]+$/.test(hostname);
}
