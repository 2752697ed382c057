// The company's domain, from its web address or from an e-mail address. An address at a provider of free or disposable mail says nothing
// about a company.

let freeMail: ReadonlySet<string> | null = null;

/** The list has 10,000 domains, and is loaded with the first address. */
async function freeMailDomains(): Promise<ReadonlySet<string>> {
  freeMail ??= new Set((await import("email-providers/all.json", { with: { type: "json" } })).default);
  return freeMail;
}

/** Whether the domain or one above it is listed. */
function isListed(domain: string, list: ReadonlySet<string>): boolean {
  const labels = domain.split(".");
  return labels.some((_, i) => list.has(labels.slice(i).join(".")));
}

/** `"ada@mail.acme.io"` → `"mail.acme.io"`. Null when no address is a company's. */
export async function companyDomain(emails: readonly { email: string }[]): Promise<string | null> {
  const domains = emails.map(({ email }) => email.slice(email.lastIndexOf("@") + 1).toLowerCase());
  const list = await freeMailDomains();
  return domains.find((domain) => domain.includes(".") && !isListed(domain, list)) ?? null;
}

/** `"https://www.acme.io/about"` → `"acme.io"`. */
export const domainOf = (url: string): string | null => URL.parse(url)?.hostname.replace(/^www\./, "") ?? null;
