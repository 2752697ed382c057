/** Host names and IP addresses, without a port, a path or anything else around them. */
import { isIP, isIPv6 } from "node:net";

/** `" Mail.Example.com "` → `"Mail.Example.com"`; an IPv6 address loses its brackets. Null when it is not a host. */
export function parseHost(raw: string): string | null {
  const text = raw.trim();
  const host = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
  if (host !== text) return isIPv6(host) && !host.includes("%") ? host : null;
  if (isIP(host) !== 0) return host.includes("%") ? null : host;
  return host.length <= 253 && NAME.test(host) ? host : null;
}

const NAME = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*\.?$/;

/** The host as it stands in a URL. */
export const hostInUrl = (host: string): string => (isIPv6(host) ? `[${host}]` : host);
