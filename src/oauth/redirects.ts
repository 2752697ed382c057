// Where a browser may be sent from our pages.

/** The places of a redirect address, as a policy names them: a browser follows a form's redirects only to what the page names. */
export function leadsTo(redirectUri: string): string {
  const { protocol, host, hostname } = new URL(redirectUri);
  if (protocol === "https:") return `https://${host}`;
  return protocol === "http:" ? `http://${hostname}:*` : protocol;
}
