// The documents by which clients find their way in: where tokens come from (RFC 9728), and what the server of tokens can do (RFC 8414).
import type { FastifyInstance } from "fastify";
import { scopes } from "../core/context.ts";
import type { Core } from "../core/core.ts";
import { addPage } from "../http/pages.ts";
import { answer } from "../http/reply.ts";
import { type ResourceName, resourceUrl } from "../values/resource_server.ts";
import { paths } from "./engine.ts";
import { formPost } from "./form_page.ts";

const offered = [...scopes, "offline_access"];
const clientAuthentication = ["none", "client_secret_basic", "client_secret_post"];

export function addMetadata(server: FastifyInstance, core: Core): void {
  const { base_url } = core.settings;
  const documents: [path: string, name: string, document: object][] = [
    ["/.well-known/oauth-authorization-server", "oauth.server", serverMetadata(base_url)],
    ["/.well-known/oauth-protected-resource", "oauth.resource", resourceMetadata(base_url, "api")],
    ["/.well-known/oauth-protected-resource/api/v1", "oauth.resource", resourceMetadata(base_url, "api")],
    ["/.well-known/oauth-protected-resource/mcp", "oauth.resource", resourceMetadata(base_url, "mcp")],
  ];
  // Below a path, the path comes after the name (RFC 8414): clients ask the root of the host, and its proxy passes that on.
  const below = new URL(base_url).pathname.replace(/\/$/, "");
  const all = new Map(documents.map(([path, name, document]) => [path, { name, document }]));
  if (below !== "")
    for (const [path, name, document] of documents) all.set(path.replace(/^(\/[^/]+\/[^/]+)/, `$1${below}`), { name, document });
  for (const [path, { name, document }] of all) {
    const text = JSON.stringify(document);
    addPage(server, server.service, {
      path,
      name,
      group: "oauth",
      show: (x) => answer(x, 200, text, { "cache-control": "public, max-age=300" }),
    });
  }
}

const serverMetadata = (base: string) => ({
  issuer: base,
  authorization_endpoint: base + paths.authorization,
  token_endpoint: base + paths.token,
  registration_endpoint: base + paths.registration,
  revocation_endpoint: base + paths.revocation,
  introspection_endpoint: base + paths.introspection,
  scopes_supported: offered,
  response_types_supported: ["code"],
  response_modes_supported: ["query", formPost],
  grant_types_supported: ["authorization_code", "refresh_token"],
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: clientAuthentication,
  revocation_endpoint_auth_methods_supported: clientAuthentication,
  introspection_endpoint_auth_methods_supported: clientAuthentication,
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  service_documentation: `${base}/docs/`,
});

const resourceMetadata = (base: string, name: ResourceName) => ({
  resource: resourceUrl(base, name),
  authorization_servers: [base],
  scopes_supported: offered,
  bearer_methods_supported: ["header"],
  resource_name: name === "mcp" ? "Headwater for agents" : "Headwater",
  resource_documentation: `${base}/docs/`,
});
