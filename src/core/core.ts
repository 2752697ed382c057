// What all operations share: the database, the directories, the registry and the settings of the service.
import type { Database } from "../db/database.ts";
import type { PublicAddresses } from "../services/public_address.ts";
import type { Secrets } from "../services/secrets.ts";
import type { Storage } from "../services/storage.ts";
import type { Directories } from "./directory.ts";
import type { Registry } from "./registry.ts";

export interface Core {
  db: Database;
  directories: Directories;
  /** Drops what this process remembers of an organization: its directory, and who its keys are. */
  forget(organizationId: string): void;
  registry: Registry;
  settings: Settings;
  clock: () => Date;
}

/** What the operator decided and handlers need. */
export interface Settings {
  /** Where links begin. */
  base_url: string;
  /** Where requests may go when a user chose the address. */
  addresses: PublicAddresses;
  /** What is needed in clear again lies sealed. */
  secrets: Secrets;
  /** Where the bytes of files lie. */
  storage: Storage;
  /** Where contacts' profiles are synced from, and lists can be copied from; the first is the default. */
  list_sources: readonly string[];
}
