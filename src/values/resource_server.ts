// The two resources that OAuth tokens are for, and what each says to a client that needs another token (RFC 6750, RFC 9728).

/** `api` is the REST interface, `mcp` the one for agents. */
export type ResourceName = "api" | "mcp";

const paths: Readonly<Record<ResourceName, string>> = { api: "/api/v1", mcp: "/mcp" };

/** The identifier of a resource. It has no slash at the end: clients compare it as it is. */
export const resourceUrl = (baseUrl: string, name: ResourceName): string => baseUrl + paths[name];

/** The resource with this identifier, with or without a slash at the end. */
export function resourceAt(baseUrl: string, url: string): ResourceName | null {
  const bare = url.replace(/\/$/, "");
  return (Object.keys(paths) as ResourceName[]).find((name) => resourceUrl(baseUrl, name) === bare) ?? null;
}

/** The address of the document that says where tokens for a resource come from. */
export const metadataUrl = (baseUrl: string, name: ResourceName): string =>
  `${new URL(baseUrl).origin}/.well-known/oauth-protected-resource${new URL(resourceUrl(baseUrl, name)).pathname}`;

/** The value of `WWW-Authenticate`. `scope` is what the client should ask for, `error` what was wrong with its token. */
export function bearerChallenge(
  baseUrl: string,
  name: ResourceName,
  { error, scope }: { error?: "invalid_token" | "insufficient_scope"; scope?: string } = {},
): string {
  const parts = Object.entries({ error, scope, resource_metadata: metadataUrl(baseUrl, name) });
  return `Bearer ${parts.flatMap(([key, value]) => (value === undefined ? [] : [`${key}="${value}"`])).join(", ")}`;
}
