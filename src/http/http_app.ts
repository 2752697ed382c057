// What the server needs of the rest of the program.
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { Actor } from "../core/context.ts";
import type { Core } from "../core/core.ts";
import type { Operation } from "../core/operation.ts";
import type { AgentsOptions } from "../mcp/agents.ts";
import type { Workspace } from "../mcp/caller.ts";
import type { PublicRoute } from "../records/public_route.ts";
import type { ResourceName } from "../values/resource_server.ts";
import type { Reference } from "./reference.ts";

export interface HttpApp {
  config: Config;
  core: Core;
  operations: readonly Operation[];
  /** Paths besides the operations that need no key. */
  publicRoutes: readonly PublicRoute[];
  /** Throws `unauthorized()`, or returns a promise that does, unless the header names an active key. */
  authenticate(authorization: string | undefined, resource?: ResourceName): Actor | Promise<Actor>;
  /** Where the holder of the token in a header may act. */
  workspacesOf(authorization: string): Promise<readonly Workspace[]>;
  log: Logger;
  /** How many promises were rejected without a handler. */
  defects: { readonly count: number };
  /** True when the database has the migrations this version expects. */
  ready(): Promise<boolean>;
  /** A name for the database and its present life. */
  database?: () => Promise<string>;
  version: string;
  /** Adds to the server of each request of an agent. The conformance suite brings tools of its own. */
  extendAgents?: AgentsOptions["extend"];
  /** What the metrics show of the background. */
  background?: () => Promise<string>;
  /** Reads the prepared text of the description, `generated/openapi.json`, if there is one. */
  description?: () => Promise<string | Buffer>;
  /** The pages below `/docs/`. */
  reference?: Reference;
}
