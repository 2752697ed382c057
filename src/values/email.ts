/** E-mail addresses: stored as given, but with the domain that mail servers make of it, and compared in lower case. */
import { domainToUnicode } from "node:url";

/**
 * `" Ann@Example.com "` → `"Ann@Example.com"`. Null when it is not `local@domain.tld` of at most 254 characters. Letters of every
 * script are allowed. `admin@localhost` needs `allowLocalhost`.
 */
export function parseEmail(raw: string, { allowLocalhost = false } = {}): string | null {
  const isOne = (text: string) => text.length <= 254 && (ADDRESS.test(text) || (allowLocalhost && AT_LOCALHOST.test(text)));
  const email = raw.trim();
  if (!isOne(email)) return null;
  const plain = withPlainDomain(email);
  return isOne(plain) ? plain : email;
}

/** The form in which two addresses are compared: trimmed, lower case. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}

/** `"Ann@Example.com"` → `"example.com"`. */
export const domainOf = (email: string): string => emailKey(email).split("@").at(-1)!;

/**
 * A sender → `{name, email}`, from `"Ann Lee" <ann@example.com>`, `Ann Lee <ann@example.com>`, `ann@example.com (Ann Lee)` or the
 * bare address. The name may be null. Null when the address is not valid.
 */
export function parseAddress(raw: string, options?: { allowLocalhost?: boolean }): { name: string | null; email: string } | null {
  const text = raw.trim();
  if (text.length > 1_000) return null;
  const inAngles = text.endsWith(">") ? text.lastIndexOf("<") : -1;
  const inRound = text.endsWith(")") ? text.indexOf("(") : -1;

  let name = "";
  let address = text;
  if (inAngles >= 0) [name, address] = [text.slice(0, inAngles), text.slice(inAngles + 1, -1)];
  else if (inRound >= 0) [name, address] = [text.slice(inRound + 1, -1), text.slice(0, inRound)];
  const email = parseEmail(address, options);
  return email === null ? null : { name: unquote(name) || null, email };
}

const ATOM = String.raw`[^\s@<>()\[\],;:\\".\p{C}]+`;
const LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?`;
const TLD = String.raw`\p{L}[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}]`;
const LOCAL = String.raw`^(?=[^@]{1,64}@)${ATOM}(?:\.${ATOM})*@`;
const ADDRESS = new RegExp(String.raw`${LOCAL}(?:${LABEL}\.)+${TLD}$`, "u");
const AT_LOCALHOST = new RegExp(`${LOCAL}localhost$`, "iu");

/** `ann@ｍail.example` → `ann@mail.example`. A mail server gets both alike, so they are one address here, too. */
function withPlainDomain(email: string): string {
  const at = email.lastIndexOf("@") + 1;
  const domain = email.slice(at);
  return /^\p{ASCII}*$/u.test(domain) ? email : email.slice(0, at) + domainToUnicode(domain);
}

function unquote(name: string): string {
  const text = name.trim();
  const quoted = text.length > 1 && text.startsWith('"') && text.endsWith('"');
  const bare = quoted ? text.slice(1, -1).replace(/\\(.)/g, "$1") : text;
  return bare.replace(/[\p{Cc}\s]+/gu, " ").trim();
}
