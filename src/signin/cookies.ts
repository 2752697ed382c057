// Cookies of our pages. Over https their names begin with `__Host-`, so that no other host of the domain can set them.

/** Plain http is only for trying the service on one's own machine. */
const isSecure = (baseUrl: string): boolean => baseUrl.startsWith("https:");

const nameOf = (baseUrl: string, name: string): string => (isSecure(baseUrl) ? `__Host-${name}` : name);

export function readCookie(baseUrl: string, header: string | string[] | undefined, name: string): string | null {
  const wanted = `${nameOf(baseUrl, name)}=`;
  const found = String(header ?? "")
    .split(/; */)
    .find((one) => one.startsWith(wanted));
  return found?.slice(wanted.length) || null;
}

/** Without `seconds` it lasts as long as the browser; with 0 it is deleted. */
export function cookie(baseUrl: string, name: string, value: string, seconds?: number): string {
  const parts = [`${nameOf(baseUrl, name)}=${value}`, "Path=/", "HttpOnly", "SameSite=Lax"];
  if (isSecure(baseUrl)) parts.push("Secure");
  if (seconds !== undefined) parts.push(`Max-Age=${seconds}`);
  return parts.join("; ");
}
