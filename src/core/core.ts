// What all operations share: the database, the directories, the registry and the settings of the service.
import type { Database } from "../db/database.ts";
import type { Mailer } from "../services/mail.ts";
import type { Providers } from "../services/providers.ts";
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
export interface Settings extends Providers {
  /** Where links begin. */
  base_url: string;
  /** Where requests may go when a user chose the address. */
  addresses: PublicAddresses;
  /** Encrypts what is stored and needed in clear again, such as passwords of mail servers. */
  secrets: Secrets;
  /** Stores the bytes of files. */
  storage: Storage;
  /** The archive of an organization, as bytes that come while it is read. */
  archive(organizationId: string): AsyncIterable<Uint8Array>;
  /** Sends mail of the service itself; null when no mail server is configured. */
  mail: Mailer | null;
  /** The sources that contacts' profiles are synced from and lists are copied from. The first is the default. */
  list_sources: readonly string[];
}
