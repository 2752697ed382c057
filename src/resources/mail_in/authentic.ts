// Whether a message in an Inbox is from the address that it says. Anybody can write any sender, so what counts is the result of the
// mailbox's own server, which writes it on top (RFC 8601).
import { domainOf } from "../../values/email.ts";
import type { ArrivedMail } from "./arrived.ts";
import type { Account } from "./visit.ts";

/** The server found that the domain of the sender answers for the message. */
export function isAuthentic(account: Account, { from, authentication }: Pick<ArrivedMail, "from" | "authentication">): boolean {
  if (from === null || authentication === "") return false;
  const domain = domainOf(from.email);
  return resultsOf(account, authentication).some((result) => answersFor(result, domain));
}

/** The server found that the message does not come from where it says. */
export const hasFailed = (account: Account, { authentication }: Pick<ArrivedMail, "authentication">): boolean =>
  resultsOf(account, authentication).some((result) => /(?:^|\s)(?:dmarc|spf)\s*=\s*fail\b/i.test(result));

/** The domains that the server found it to come from, whatever its sender is. Empty where it says nothing of it. */
export const provenDomains = (account: Account, { authentication }: Pick<ArrivedMail, "authentication">): string[] => [
  ...new Set(resultsOf(account, authentication).flatMap(provenIn)),
];

const proofs = { dmarc: ["header.from"], dkim: ["header.d", "header.i"], spf: ["smtp.helo", "smtp.mailfrom"] };

function provenIn(result: string): string[] {
  const values = valuesOf(result);
  return Object.entries(proofs)
    .filter(([method]) => values.get(method) === "pass")
    .flatMap(([, names]) => names.flatMap((name) => values.get(name) ?? []))
    .map((value) => domainOf(value.replace(/[<>]/g, "")))
    .filter((domain) => domain.includes("."));
}

/** What the mailbox's own server found. Empty where another one says it. */
function resultsOf(account: Account, authentication: string): string[] {
  const [first = "", ...rest] = withoutComments(authentication).split(";");
  // Microsoft names no server.
  const server = first.includes("=") ? null : first.trim().split(/\s+/)[0]!.toLowerCase();
  if (!isOwnServer(account, server)) return [];
  return server === null ? [first, ...rest] : rest;
}

function withoutComments(value: string): string {
  const shorter = value.replace(/\([^()]*\)/g, " ");
  return shorter === value ? value : withoutComments(shorter);
}

const valuesOf = (result: string): Map<string, string> =>
  new Map(
    [...result.matchAll(/([\w.-]+)\s*=\s*"?([^\s";]+)/g)].map(([, name, value]) => [name!.toLowerCase(), value!.toLowerCase()]),
  );

/** `dmarc=pass header.from=acme.example`, or `dkim=pass header.d=acme.example`. */
function answersFor(result: string, domain: string): boolean {
  const values = valuesOf(result);
  if (values.get("dmarc") === "pass") return (values.get("header.from") ?? domain) === domain;
  const signer = values.get("header.d") ?? values.get("header.i")?.split("@").at(-1);
  return values.get("dkim") === "pass" && signer !== undefined && (signer === domain || domain.endsWith(`.${signer}`));
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
