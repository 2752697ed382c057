// What a server's refusal means for the address: by its code (RFC 3463, RFC 5321), or else by its words.

/**
 * `hard`: there is no such address. `soft`: a temporary failure. `policy`: refused because of the sender or the content.
 * `delayed`: the server is still trying.
 */
export const failureKinds = ["hard", "soft", "policy", "delayed"] as const;
export type FailureKind = (typeof failureKinds)[number];

/**
 * `status` is the report's code, `said` the server's reply. A more exact code in the reply takes precedence: many servers report
 * `5.0.0` and quote `550 5.1.1`.
 */
export function failureKind(status: string, said: string): { status: string | null; kind: Exclude<FailureKind, "delayed"> } {
  const codes = [codeIn(status), codeIn(said.slice(0, 2000))].filter((one) => one !== null);
  const code = codes.find((one) => !isVague(one)) ?? codes[0] ?? null;
  return { status: code, kind: code === null || isVague(code) ? byWords(said, code) : byCode(code) };
}

/** Not a part of an IP address, which looks the same. */
const codeIn = (text: string): string | null => /(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?!\d|\.\d)/.exec(text)?.[0] ?? null;

const isVague = (code: string): boolean => /^[45]\.(?:0\.\d+|[1-5]\.0)$/.test(code);

/** Full, too large, not readable: the address is right, and the problem is this message or this day. */
const notTheAddress = /^5\.(?:2\.2|2\.3|3\.1|3\.4|6\.\d+)$/;
/** The sender's address is bad, or the sender is refused, even if the reply calls it temporary. */
const theSender = /^[45]\.(?:7\.\d+|1\.7|1\.8)$/;

function byCode(code: string): "hard" | "soft" | "policy" {
  if (theSender.test(code)) return "policy";
  return code.startsWith("4") || notTheAddress.test(code) ? "soft" : "hard";
}

const unknown =
  /user unknown|unknown user|no such (?:user|mailbox|recipient|address)|does not exist|doesn't exist|no mailbox|mailbox (?:unavailable|not found)|unknown (?:recipient|mailbox|address)|recipient (?:not found|unknown|rejected)|address rejected|invalid (?:recipient|mailbox|address)|not a known user|account (?:has been )?(?:disabled|deleted|closed)|couldn't find any host|host (?:or domain name )?not found|nxdomain|unrouteable address|domain (?:does not|doesn't) exist/i;
const full =
  /(?:mailbox|quota|inbox|storage|account)[^.]{0,40}(?:full|exceed|over|limit)|over ?quota|quota exceeded|too large|size limit/i;
const refused =
  /spam|blocked|black ?list|block ?list|blocklist|dnsbl|\brbl\b|spamhaus|barracuda|reputation|polic(?:y|ies)|\bspf\b|\bdkim\b|\bdmarc\b|unauthenticated|authentication|not authori[sz]ed|access denied|virus|banned|content rejected|relay/i;
const later = /temporar|try again|timed? ?out|deferred|greylist|connection refused|retry/i;

/** It contains a code, or a word that decides. */
export const saysWhy = (said: string): boolean =>
  codeIn(said) !== null || [full, unknown, refused, later].some((words) => words.test(said));

function byWords(said: string, code: string | null): "hard" | "soft" | "policy" {
  const words = said.slice(0, 2000);
  if (full.test(words)) return "soft";
  if (unknown.test(words)) return "hard";
  if (refused.test(words)) return "policy";
  const isLater = code?.startsWith("4") ?? (/(?<!\d)4\d\d(?!\d)/.test(words) || later.test(words));
  return isLater ? "soft" : "hard";
}
