// Addresses with letters that are not ASCII. Their domain has a form in ASCII that every mail server takes. What stands before the @
// has none: such an address goes only to a server that offers SMTPUTF8 (RFC 6531).
import { domainToASCII } from "node:url";

/** `jörg@bücher.example` → `jörg@xn--bcher-kva.example`. */
export function withAsciiDomain(email: string): string {
  const at = email.lastIndexOf("@");
  return `${email.slice(0, at)}@${domainToASCII(email.slice(at + 1)) || email.slice(at + 1)}`;
}

/** Whether the part before the @ has letters that are not ASCII. */
export const needsUtf8 = (email: string): boolean => /[^\p{ASCII}]/u.test(email.slice(0, email.lastIndexOf("@")));

export const utf8Words = "the mail server takes no address with such letters before the @";
