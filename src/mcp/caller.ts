// Who calls a tool, as the server of HTTP knows it.
import type { Actor } from "../core/context.ts";
import type { Asker } from "../db/database.ts";
import type { Toolset } from "./toolsets.ts";

/** The request that carries a call. */
export interface Caller {
  actor: Actor;
  requestId: string;
  offsetMinutes: number;
  hasOffset: boolean;
  asker: Asker;
  /** What the client calls all that it changes in a while. */
  changeSet: string | null;
  /** The sets of tools that the client wants to see, or null for all. */
  toolsets: ReadonlySet<Toolset> | null;
  /** Where the holder of a token may act. */
  workspaces(): Promise<readonly Workspace[]>;
}

/** An organization that the caller may act in. See `auth/workspaces.ts`. */
export interface Workspace {
  id: string;
  name: string;
  is_active: boolean;
  actor: Actor;
  enter(): Promise<boolean>;
}
