// The company's domain, from its web address or from an e-mail address. An address at a provider of free or disposable mail says nothing
// about a company.
import { createRequire } from "node:module";

let freeMail: ReadonlySet<string> | null = null;

/** The list has 10,000 domains, and is loaded with the first address. */
const isFreeMail = (domain: string): boolean => {
  freeMail ??= new Set(createRequire(import.meta.url)("email-providers/all.json") as string[]);
  const labels = domain.split(".");
  return labels.some((_, i) => freeMail!.has(labels.slice(i).join(".")));
};

/** `"ada@mail.acme.io"` → `"mail.acme.io"`. Null when no address is a company's. */
export function companyDomain(emails: readonly { email: string }[]): string | null {
  const domains = emails.map(({ email }) => email.slice(email.lastIndexOf("@") + 1).toLowerCase());
  return domains.find((domain) => domain.includes(".") && !isFreeMail(domain)) ?? null;
}

/** `"https://www.acme.io/about"` → `"acme.io"`. */
export const domainOf = (url: string): string | null => URL.parse(url)?.hostname.replace(/^www\./, "") ?? null;
