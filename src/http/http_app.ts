// What the server needs of the rest of the program.
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { Actor } from "../core/context.ts";
import type { Core } from "../core/core.ts";
import type { Operation } from "../core/operation.ts";
import type { PublicRoute } from "../records/public_route.ts";

export interface HttpApp {
  config: Config;
  core: Core;
  operations: readonly Operation[];
  /** Paths beside them that are read without a key. */
  publicRoutes: readonly PublicRoute[];
  /** Throws `unauthorized()` for what names no active key, or answers a promise that does. */
  authenticate(authorization: string | undefined): Actor | Promise<Actor>;
  log: Logger;
  /** How many promises failed with nobody to hear of it. */
  defects: { readonly count: number };
  /** True when the database has the migrations this version expects. */
  ready(): Promise<boolean>;
  version: string;
  /** Reads the text of the description, where it was made before: `generated/openapi.json`. */
  description?: () => Promise<string | Buffer>;
}
