// Whether a message in an Inbox is from the address that it says. Anybody can write any sender, so what counts is the result of the
// mailbox's own server, which writes it on top (RFC 8601).
import { domainOf } from "../../values/email.ts";
import type { ArrivedMail } from "./arrived.ts";
import { authenticationResults, type Result } from "./authentication_results.ts";
import type { Account } from "./visit.ts";

/** The server found that the domain of the sender answers for the message. */
export function isAuthentic(account: Account, { from, authentication }: Pick<ArrivedMail, "from" | "authentication">): boolean {
  if (from === null || authentication === "") return false;
  const domain = domainOf(from.email);
  return resultsOf(account, authentication)?.some((result) => answersFor(result, domain)) ?? false;
}

/** The server found that the message does not come from where it says, or nobody can read what it found. */
export function hasFailed(account: Account, { authentication }: Pick<ArrivedMail, "authentication">): boolean {
  const results = resultsOf(account, authentication);
  return results?.some(({ method, result }) => ["dmarc", "spf"].includes(method) && result === "fail") ?? true;
}

/** The domains that the server found it to come from, whoever its sender is. Null where it does not say that it looked. */
export function provenDomains(account: Account, { authentication }: Pick<ArrivedMail, "authentication">): string[] | null {
  const results = resultsOf(account, authentication);
  if (results !== null && !results.some(({ method }) => proofs.has(method))) return null;
  return [...new Set(results?.flatMap((result) => provenIn(result) ?? []))];
}

/** Of two, the first that names a domain is the one that passed: any server calls itself (`helo`) what it likes. */
const proofs = new Map([
  ["dmarc", ["header.from"]],
  ["dkim", ["header.d", "header.i"]],
  ["spf", ["smtp.mailfrom", "smtp.helo"]],
]);

function provenIn({ method, result, properties }: Result): string | undefined {
  if (result !== "pass") return undefined;
  const domains = proofs.get(method)?.map((name) => domainOf((properties.get(name) ?? "").replace(/[<>"]/g, "")));
  return domains?.find((domain) => domain.includes(".") && !/[\s(),:;=[\]\\]/.test(domain));
}

/** What the mailbox's own server found: nothing where another one says it, and null where it cannot be read. */
function resultsOf(account: Account, authentication: string): readonly Result[] | null {
  const read = authenticationResults(authentication);
  return read && (isOwnServer(account, read.server) ? read.results : []);
}

/** `dmarc=pass header.from=acme.example`, or `dkim=pass header.d=acme.example`. */
function answersFor(found: Result, domain: string): boolean {
  const proven = provenIn(found);
  if (found.method === "dmarc" && found.result === "pass") return proven === domain || !found.properties.has("header.from");
  return found.method === "dkim" && proven !== undefined && (proven === domain || domain.endsWith(`.${proven}`));
}

const providers = [
  { type: "google", hosts: /(^|\.)(gmail|googlemail)\.com$/, isOwn: (server: string | null) => server === "mx.google.com" },
  { type: "microsoft", hosts: /(^|\.)(office365|outlook)\.com$/, isOwn: (server: string | null) => server === null },
];

/** The server that wrote the result has the mailbox: it is the one that mail is read from, or of its domain or the address's. */
function isOwnServer({ _type, imap, email }: Account, server: string | null): boolean {
  const host = imap?.host.toLowerCase() ?? "";
  const provider = providers.find(({ type, hosts }) => type === _type || hosts.test(host));
  if (provider !== undefined) return provider.isOwn(server);
  const above = host.split(".").slice(1).join(".");
  const domains = [host, domainOf(email ?? ""), ...(/\..*[a-z]/.test(above) ? [above] : [])];
  return server !== null && domains.some((one) => one !== "" && (server === one || server.endsWith(`.${one}`)));
}
