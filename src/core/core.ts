// What operations run on: the database, the directories, the registry and the settings of the service.
import type { Database } from "../db/database.ts";
import type { Directories } from "./directory.ts";
import type { Registry } from "./registry.ts";

export interface Core {
  db: Database;
  directories: Directories;
  /** Drops what this process remembers of an organization: its directory, and who its keys are. */
  forget(organizationId: string): void;
  registry: Registry;
  settings: { base_url: string };
  clock: () => Date;
}
