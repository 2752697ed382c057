/** Names and addresses of machines, without a port, a path or anything else that an address may have around them. */
import { isIP, isIPv6 } from "node:net";

/** `" Mail.Example.com "` → the same, trimmed; an IPv6 address without its brackets. Null when it is no host. */
export function parseHost(raw: string): string | null {
  const text = raw.trim();
  const host = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
  if (host !== text) return isIPv6(host) && !host.includes("%") ? host : null;
  if (isIP(host) !== 0) return host.includes("%") ? null : host;
  return host.length <= 253 && NAME.test(host) ? host : null;
}

const NAME = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*\.?$/;

/** As it stands in an address of the web. */
export const hostInUrl = (host: string): string => (isIPv6(host) ? `[${host}]` : host);
