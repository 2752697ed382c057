// A real IMAP server for tests: Dovecot, run as nobody on its own port, with all its data in a temporary folder. Tests deliver
// and read mail as a mail program does. If Dovecot is missing, it is installed where that is allowed.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ImapFlow } from "imapflow";
import { needProgram } from "./debian.ts";
import { freePort } from "./free_port.ts";

export interface ImapServer {
  host: string;
  port: number;
  /** Creates a mailbox with an Inbox, for any address that is not in use yet. */
  mailbox(address?: string): TestMailbox;
  /** Stops the server until `start` is called. Its mail stays. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops the server and removes its data. */
  close(): Promise<void>;
}

/** A mailbox that exists on the server. */
export interface TestMailbox {
  address: string;
  password: string;
  /** The `imap` settings of a connected account. */
  login: { host: string; port: number; username: string; password: string; use_ssl: boolean };
  /** Puts a message into a folder, by default the Inbox, by APPEND. Returns its UID. */
  deliver(raw: string | Uint8Array, options?: { folder?: string; flags?: string[] }): Promise<number>;
  /** Puts many messages there at once, as a delivery agent does. */
  deliverAll(raws: Iterable<string | Uint8Array>, folder?: string): void;
  /** The messages of a folder in the order of their UIDs. */
  list(folder?: string): Promise<{ uid: number; flags: Set<string>; raw: string }[]>;
  folders(): Promise<string[]>;
  flag(uid: number, flags: string[], folder?: string): Promise<void>;
  remove(uid: number, folder?: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  /** Gives all messages of a folder new UIDs, as after a restore of the server. */
  changeUidValidity(folder?: string): Promise<void>;
  changePassword(password: string): void;
  /** Whether the server can store messages in a folder. Where it cannot, it refuses each APPEND. */
  canStore(can: boolean, folder?: string): void;
}

/**
 * A name that does not suggest sent mail. When this folder is created, the server marks it as the sent folder, as it does with
 * `Sent`.
 */
export const folderMarkedAsSent = "Ausgang";

const host = "127.0.0.1";
const dovecot = "/usr/sbin/dovecot";

/** The shared server of this test process. It stops when the tests are done. */
export function imapServer(): Promise<ImapServer> {
  shared ??= startImapServer();
  return shared;
}

let shared: Promise<ImapServer> | null = null;
after(async () => (await shared)?.close());

/** A separate server, for tests that stop it. With `tokensAt` it accepts tokens too, and introspects them there. */
export async function startImapServer({ tokensAt = null }: { tokensAt?: string | null } = {}): Promise<ImapServer> {
  needProgram("dovecot-imapd", dovecot);
  const folder = mkdtempSync(join(tmpdir(), "headwater-imap-"));
  const owner = ownerOf(folder);
  const port = await freePort();
  writeFileSync(join(folder, "dovecot.conf"), configuration({ folder, port, owner, tokensAt }));
  if (tokensAt !== null) writeFileSync(join(folder, "oauth.conf"), tokenConfiguration(tokensAt));
  for (const name of ["run", "state", "mail", "users"]) mkdirSync(join(folder, name));
  for (const path of [folder, ...globSync(`${folder}/*`)]) chownSync(path, owner.uid, owner.gid);

  let child: ChildProcess | null = null;
  const server: ImapServer = {
    host,
    port,
    mailbox(address = `box-${randomUUID()}@example.com`) {
      const setPassword = (password: string) => writeFileSync(join(folder, "users", address), `${address}:{PLAIN}${password}\n`);
      setPassword("secret");
      return mailboxOf({ address, folder, owner, port, setPassword });
    },
    async start() {
      child = spawn(dovecot, ["-F", "-c", join(folder, "dovecot.conf")], { ...owner, stdio: "ignore" });
      await listening(child, port, folder);
    },
    async stop() {
      const ending = child;
      child = null;
      if (ending === null || ending.exitCode !== null) return;
      const ended = once(ending, "exit");
      ending.kill("SIGTERM");
      await ended;
    },
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

// --- the server ---

interface Owner {
  uid: number;
  gid: number;
}

/** Dovecot refuses to store mail as root. */
function ownerOf(folder: string): Owner {
  const [uid, gid] = [process.getuid!(), process.getgid!()];
  if (uid !== 0) return { uid, gid };
  chmodSync(folder, 0o755);
  return { uid: 65534, gid: 65534 };
}

interface Settings {
  folder: string;
  port: number;
  owner: Owner;
  tokensAt: string | null;
}

/** Whoever comes by a token is whom the provider says that it is. */
const tokenConfiguration = (tokensAt: string) => `
introspection_url = ${tokensAt}
introspection_mode = post
active_attribute = active
active_value = true
username_attribute = email
`;

const byToken = ({ folder, tokensAt }: Settings) =>
  tokensAt === null
    ? ""
    : `
auth_mechanisms = plain xoauth2 oauthbearer
passdb {
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = ${folder}/oauth.conf
}`;

const configuration = ({ folder, port, owner, tokensAt }: Settings) => `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
protocols = imap
listen = ${host}
ssl = no
disable_plaintext_auth = no
auth_failure_delay = 0
default_internal_user = ${nameOf("u", owner.uid)}
default_internal_group = ${nameOf("g", owner.gid)}
default_login_user = ${nameOf("u", owner.uid)}
first_valid_uid = 1
mail_location = maildir:${folder}/mail/%u:UTF-8
mail_fsync = never
mail_max_userip_connections = 100000
maildir_very_dirty_syncs = yes${byToken({ folder, port, owner, tokensAt })}
passdb {
  driver = passwd-file
  args = username_format=%u ${folder}/users/%u
}
userdb {
  driver = static
  args = uid=${owner.uid} gid=${owner.gid} home=${folder}/mail/%u
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Sent {
    special_use = \\Sent
  }
  mailbox ${folderMarkedAsSent} {
    special_use = \\Sent
  }
}
service imap-login {
  chroot =
  service_count = 0
  client_limit = 2000
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service imap {
  client_limit = 100
  process_limit = 1200
}
service anvil {
  chroot =
  client_limit = 5000
}
service auth {
  client_limit = 5000
}
service stats {
  chroot =
  client_limit = 5000
}
`;

function nameOf(option: "u" | "g", id: number): string {
  const database = readFileSync(option === "u" ? "/etc/passwd" : "/etc/group", "utf8");
  return database
    .split("\n")
    .find((line) => line.split(":")[2] === String(id))!
    .split(":")[0]!;
}

async function listening(child: ChildProcess, port: number, folder: string): Promise<void> {
  for (const limit = Date.now() + 20_000; ; await sleep(20)) {
    const log = () => (existsSync(join(folder, "log")) ? readFileSync(join(folder, "log"), "utf8") : "");
    if (child.exitCode !== null || Date.now() > limit) throw new Error(`Dovecot did not start: ${log()}`);
    const socket = connect(port, host);
    const [answered] = await Promise.race([once(socket, "data"), once(socket, "error").then(() => [null])]).catch(() => [null]);
    socket.destroy();
    if (answered !== null) return;
  }
}

// --- a mailbox ---

interface Place {
  address: string;
  folder: string;
  owner: Owner;
  port: number;
  setPassword(password: string): void;
}

function mailboxOf({ address, folder, owner, port, setPassword }: Place): TestMailbox {
  const maildir = join(folder, "mail", address);
  const box: TestMailbox = {
    address,
    password: "secret",
    get login() {
      return { host, port, username: address, password: box.password, use_ssl: false };
    },
    deliver: (raw, { folder: path = "INBOX", flags = [] } = {}) =>
      connected(async (client) => {
        const appended = await client.append(path, Buffer.from(raw), flags);
        return (appended as { uid: number }).uid;
      }),
    deliverAll(raws, path = "INBOX") {
      const place = join(maildirOf(path), "new");
      for (const each of ["cur", "new", "tmp"]) makeOwned(join(maildirOf(path), each));
      for (const raw of raws) {
        const file = join(place, `${Date.now()}.${++delivered}.test`);
        writeFileSync(file, raw);
        chownSync(file, owner.uid, owner.gid);
      }
    },
    list: (path = "INBOX") =>
      connected(async (client) => {
        await client.mailboxOpen(path, { readOnly: true });
        const found = await client.fetchAll("1:*", { uid: true, flags: true, source: true }, { uid: true });
        return found.map(({ uid, flags, source }) => ({ uid, flags: flags!, raw: source!.toString("latin1") }));
      }),
    folders: () => connected(async (client) => (await client.list()).map(({ path }) => path)),
    flag: (uid, flags, path = "INBOX") =>
      connected(async (client) => {
        await client.mailboxOpen(path);
        await client.messageFlagsAdd(String(uid), flags, { uid: true });
      }),
    remove: (uid, path = "INBOX") =>
      connected(async (client) => {
        await client.mailboxOpen(path);
        await client.messageDelete(String(uid), { uid: true });
      }),
    makeFolder: (path) => connected(async (client) => void (await client.mailboxCreate(path))),
    async changeUidValidity(path = "INBOX") {
      const place = maildirOf(path);
      const [, before] = / V(\d+) /.exec(readFileSync(join(place, "dovecot-uidlist"), "utf8"))!;
      for (const file of globSync(`${place}/dovecot{.index*,.list*,-uidlist}`)) rmSync(file);
      writeFileSync(join(place, "dovecot-uidlist"), `3 V${Number(before) + 1} N1 G${randomUUID().replaceAll("-", "")}\n`);
      chownSync(join(place, "dovecot-uidlist"), owner.uid, owner.gid);
    },
    changePassword(password) {
      box.password = password;
      setPassword(password);
    },
    canStore: (can, path = "INBOX") => chmodSync(join(maildirOf(path), "tmp"), can ? 0o700 : 0o500),
  };
  const maildirOf = (path: string) => (path === "INBOX" ? maildir : join(maildir, `.${path.replaceAll("/", ".")}`));
  const makeOwned = (path: string) => {
    for (const each of [maildir, join(path, ".."), path]) {
      mkdirSync(each, { recursive: true });
      chownSync(each, owner.uid, owner.gid);
    }
  };
  const connected = async <T>(work: (client: ImapFlow) => Promise<T>): Promise<T> => {
    const client = new ImapFlow({
      host,
      port,
      secure: false,
      doSTARTTLS: false,
      auth: { user: address, pass: box.password },
      logger: false,
    });
    await client.connect();
    try {
      return await work(client);
    } finally {
      client.close();
    }
  };
  return box;
}

let delivered = 0;
