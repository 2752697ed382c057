// For the tests of this folder: the real server on its own port, with operations that a test declares.
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { FastifyInstance } from "fastify";
import pino, { type Logger } from "pino";
import { parseConfig } from "../config.ts";
import type { Actor, Scope } from "../core/context.ts";
import { openDirectories } from "../core/directory.ts";
import { unauthorized } from "../core/errors.ts";
import type { Operation } from "../core/operation.ts";
import { permissions } from "../core/permissions.ts";
import { buildRegistry } from "../core/registry.ts";
import type { Database } from "../db/database.ts";
import { openDatabase } from "../db/pool.ts";
import type { PublicRoute } from "../records/public_route.ts";
import { openProviders } from "../services/oauth_providers.ts";
import { publicAddresses } from "../services/public_address.ts";
import { openSecrets } from "../services/secrets.ts";
import { openStorage } from "../services/storage.ts";
import { createServer, type HttpApp } from "./server.ts";
import type { GateLimits } from "./shed.ts";

export const goodKey = `Basic ${Buffer.from("api_good:").toString("base64")}`;

export const actor = (changes: Partial<Actor> = {}): Actor => ({
  organization_id: "orga_1",
  user_id: "user_1",
  membership_id: "memb_1",
  role_id: "admin",
  permissions: new Set(permissions),
  scopes: new Set<Scope>(["read", "write_safe", "write_destructive"]),
  past_due: false,
  api_key_id: "apikey_1",
  ...changes,
});

export interface Given {
  publicRoutes?: readonly PublicRoute[];
  operations?: readonly Operation[];
  env?: Record<string, string>;
  gate?: Partial<GateLimits>;
  filesDir?: string;
  actors?: Record<string, Actor>;
  authenticate?: HttpApp["authenticate"];
  ready?: HttpApp["ready"];
  description?: HttpApp["description"];
  log?: Logger;
  /** Replaces parts of a database that cannot be reached. */
  database?: Partial<Database>;
  /** Adds routes, as other areas do. */
  extend?: (server: FastifyInstance) => void;
}

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
  json: any;
}

export interface Asked {
  headers?: Record<string, string | string[]>;
  body?: string | Buffer | object;
  key?: string | null;
  agent?: http.Agent;
}

/** Starts a server that ends with the test. */
export async function listen(t: TestContext, given: Given = {}) {
  const operations = given.operations ?? [];
  const config = parseConfig({ PORT: "0", RATE_LIMIT: "off", ...given.env });
  // Operations that read nothing need no database: connections are opened on first use.
  const db = Object.assign(openDatabase({ url: "postgres://127.0.0.1:1/none", rls: false }), given.database);
  const server = createServer(
    {
      config,
      core: {
        db,
        directories: openDirectories(db, []),
        forget: () => {},
        registry: buildRegistry(operations),
        settings: {
          base_url: config.base_url,
          addresses: publicAddresses([]),
          secrets: openSecrets("tests"),
          storage: openStorage(given.filesDir ?? join(tmpdir(), `headwater-http-${process.pid}`)),
          archive() {
            throw new Error("No operation of these tests writes an archive.");
          },
          mail: null,
          list_sources: [],
          oauth: openProviders(config.oauth),
          people_data_labs: config.people_data_labs,
          ai: config.ai,
        },
        clock: () => new Date(),
      },
      operations,
      publicRoutes: given.publicRoutes ?? [],
      workspacesOf: async () => [],
      authenticate: given.authenticate ?? (async (header) => keyHolder(header, given.actors)),
      defects: { count: 0 },
      log: given.log ?? pino({ level: "silent" }),
      ready: given.ready ?? (async () => true),
      version: "1.2.3",
      description: given.description,
    },
    // A busy test machine must not make the server refuse requests.
    { loopDelayMs: Number.POSITIVE_INFINITY, ...given.gate },
  );
  given.extend?.(server);
  await server.listen({ port: 0, host: "127.0.0.1" });
  t.after(async () => {
    server.server.closeAllConnections();
    await server.close();
    await db.close();
  });
  const { port } = server.server.address() as AddressInfo;
  return { server, port, ask: (line: string, asked: Asked = {}) => ask(port, line, asked) };
}

function keyHolder(header: string | undefined, actors: Record<string, Actor> = {}): Actor {
  if (header === goodKey) return actor();
  const found = header === undefined ? undefined : actors[header];
  if (found === undefined) throw unauthorized();
  return found;
}

/** `ask(port, "PUT /api/v1/thing/1/", { body })`: sends it as it is, with the good key unless another is given. */
function ask(port: number, line: string, { headers = {}, body, key = goodKey, agent }: Asked): Promise<Answer> {
  const [method, path] = line.split(" ") as [string, string];
  const bytes = body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const all = {
    ...(key !== null && { authorization: key }),
    ...(bytes !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(bytes) }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const request = http.request({ host: "127.0.0.1", port, method, path, headers: all, agent: agent ?? false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const json = /json/.test(answer.headers["content-type"] ?? "") && text !== "" ? JSON.parse(text) : undefined;
        resolve({ status: answer.statusCode!, headers: answer.headers, text, json });
      });
    });
    request.on("error", reject);
    request.end(bytes);
  });
}

/** Writes bytes to the port, and whatever `then` writes, and returns all that comes back until the connection is closed. */
export function raw(
  port: number,
  bytes: string | Buffer,
  then: (socket: net.Socket) => Promise<void> = async () => {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1", () => socket.write(bytes, () => void then(socket)));
    let text = "";
    socket.setEncoding("latin1").on("data", (chunk) => (text += chunk));
    socket.on("close", () => resolve(text)).on("error", reject);
  });
}
