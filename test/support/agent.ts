// An agent as a user has one: the official client, in either era of the protocol.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Client as Person } from "./client.ts";

export type Era = "2025-11-25" | "2026-07-28";

export interface Agent {
  client: Client;
  call(name: string, args?: Record<string, unknown>): Promise<any>;
}

/** Connects with the person's key, or with a token. `scope` is the header `Service-Scope`. */
export async function agentOf(
  person: Person,
  { scope, era = "2026-07-28", token = person.key }: { scope?: string; era?: Era; token?: string } = {},
): Promise<Agent> {
  const client = new Client({ name: "test", version: "1" }, era === "2026-07-28" ? { versionNegotiation: { mode: "auto" } } : {});
  const headers = { authorization: `Bearer ${token}`, ...(scope && { "service-scope": scope }) };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${person.service.url}/mcp/`), { requestInit: { headers } }));
  return {
    client,
    call: (name, args = {}) => client.callTool({ name, arguments: args }),
  };
}
