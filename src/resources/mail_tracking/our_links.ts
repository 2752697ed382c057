// Recognizes a link of a mail of ours however it is written, also where a mail server or a program leads through a checker of its own:
// Microsoft's Safe Links, Proofpoint's URL Defense, Google and others write the address that they lead to into theirs.

/** What a link of ours leads to: `hash` names the target of a click. */
export interface OurLink {
  hash: string;
}

/** Longer addresses are no links that a mail has. */
const longest = 8_000;
/** How often one checker's address may be within another's. */
const nestedMost = 3;

/** The link of ours that the address is, or leads to. Null when it leads elsewhere. */
export function ourLinkIn(baseUrl: string, url: string): OurLink | null {
  const base = new URL(baseUrl);
  if (url.length > longest) return null;
  for (const form of formsOf(url)) {
    if (!form.toLowerCase().includes(base.hostname)) continue;
    for (const address of form.split(/(?=https?:\/)/i)) {
      const found = ourLink(base, address);
      if (found !== null) return found;
    }
  }
  return null;
}

/** The address as it is, and as those who wrapped it meant it. */
function formsOf(url: string): string[] {
  const forms = [url];
  const proofpoint = /[?&]u=([^&]*)/.exec(url);
  if (proofpoint !== null) forms.push(decoded(proofpoint[1]!.replaceAll("-", "%").replaceAll("_", "/")));
  for (let at = url; forms.length < nestedMost + 2; ) {
    const next = decoded(at);
    if (next === at) break;
    forms.push(next);
    at = next;
  }
  return forms;
}

/** Signs that cannot be decoded stay as they are. */
const decoded = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (signs) => {
    try {
      return decodeURIComponent(signs);
    } catch {
      return signs;
    }
  });

function ourLink(base: URL, address: string): OurLink | null {
  // Some wrappers leave one of the two slashes.
  const url = URL.parse(address.replace(/^(https?):\/+/i, "$1://"));
  if (url === null || url.hostname.replace(/\.$/, "") !== base.hostname || url.port !== base.port) return null;
  const path = decoded(url.pathname).replace(/\/{2,}/g, "/");
  const below = base.pathname.replace(/\/$/, "");
  if (!path.startsWith(`${below}/`)) return null;
  const found = /^\/(?:u|o|c)\/[\w-]{20,100}(?:\/([\w-]{1,100}))?/.exec(path.slice(below.length));
  return found && { hash: found[1] ?? "" };
}
