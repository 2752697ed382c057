// Where the data of a DATA_DIR lies, and which user of the operating system runs its server.
//
// Normally the data lies in DATA_DIR/postgres, and the server runs as the user who starts it. PostgreSQL refuses to run as root,
// so under root a user of its own runs it, whom a private DATA_DIR lets pass. Where that user cannot reach DATA_DIR, because a
// folder above it is private, the data lies in /var/lib/headwater, and DATA_DIR/postgres.path says so.

import { execFileSync, type SpawnOptions } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { EmbeddedError } from "./errors.ts";

export interface Place {
  /** DATA_DIR: holds the log and the password. */
  dataDir: string;
  /** Holds the data, its port and its locks: DATA_DIR, or a folder in /var/lib/headwater. */
  home: string;
  /** The data directory of PostgreSQL. */
  directory: string;
  /** Who runs the server when we are root. */
  user: User | undefined;
  /** The private folder above DATA_DIR because of which the data lies elsewhere. */
  barrier?: string;
}

export interface User {
  uid: number;
  gid: number;
}

/** How a program of PostgreSQL is run: as its user, and without the secrets of our environment. */
export function asUser(user: User | undefined): SpawnOptions {
  const { PATH, LD_LIBRARY_PATH } = process.env;
  return { ...user, env: { PATH, LD_LIBRARY_PATH, LC_ALL: "C" } };
}

/** What root keeps for all data directories: data whose DATA_DIR the server's user cannot reach, and a copy of the programs. */
export const SHARED = "/var/lib/headwater";

/** Finds the place of a data directory. The first time it chooses one and makes the folders. */
export function locate(dataDir: string): Place {
  const real = makeFolder(dataDir);
  const home = movedHome(real) ?? real;
  if (!isRoot()) return own(real, home);

  const user = ownerOf(join(home, "postgres")) ?? serviceUser();
  if (home === real) letPass(real, user);
  const barrier = barrierTo(real, user);
  if (isOpen(home, user)) return { dataDir: real, home, directory: join(home, "postgres"), user, barrier };
  if (existsSync(join(home, "postgres"))) {
    throw new EmbeddedError(
      `The data in ${join(home, "postgres")} cannot be reached by its owner (user id ${user.uid}): ` +
        `${barrierTo(home, user)} is private. Allow others to pass through it with chmod o+x.`,
    );
  }
  const moved = settle(real);
  return { dataDir: real, home: moved, directory: join(moved, "postgres"), user, barrier };
}

/** Makes DATA_DIR if there is none, and returns its real path. Under root other users may pass through what it makes. */
export function makeFolder(dataDir: string): string {
  const made = mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const real = realpathSync(dataDir);
  if (made === undefined || !isRoot()) return real;
  // Afterwards, because the mode that is given to mkdir is reduced by the umask.
  for (let folder = real, first = realpathSync(made); folder.length >= first.length; folder = dirname(folder))
    chmodSync(folder, 0o711);
  return real;
}

/** Whether a user may pass through all folders above a path and through the path itself. */
export const isOpen = (path: string, user: User): boolean => barrierTo(path, user) === undefined;

/** The lowest folder on the way to a path, or the path itself, through which a user may not pass. */
function barrierTo(path: string, { uid, gid }: User): string | undefined {
  const { mode, uid: owner, gid: group } = statSync(path);
  const bit = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
  if ((mode & bit) === 0) return path;
  return dirname(path) === path ? undefined : barrierTo(dirname(path), { uid, gid });
}

/** A DATA_DIR that root has for itself alone lets the server's user pass, and nobody else. */
function letPass(dataDir: string, user: User): void {
  const { mode, uid } = statSync(dataDir);
  const isPrivate = uid === 0 && (mode & 0o077) === 0;
  if (!isPrivate || !isOpen(dirname(dataDir), user)) return;
  chownSync(dataDir, 0, user.gid);
  chmodSync(dataDir, mode | 0o010);
}

const isRoot = () => process.getuid?.() === 0;

/** Gives what root makes in another user's folder to that user, who may start the service without root later. */
export function giveToOwner(path: string): void {
  if (!isRoot()) return;
  const { uid, gid } = statSync(dirname(path));
  chownSync(path, uid, gid);
}

function movedHome(dataDir: string): string | undefined {
  const pointer = join(dataDir, "postgres.path");
  if (!existsSync(pointer)) return undefined;
  const home = dirname(readFileSync(pointer, "utf8").trim());
  if (existsSync(home)) return home;
  throw new EmbeddedError(
    `${pointer} says that the data lies in ${home}, which does not exist. ` +
      "Restore it, or delete postgres.path to begin with an empty database.",
  );
}

function own(dataDir: string, home: string): Place {
  const directory = join(home, "postgres");
  const owner = home === dataDir ? statSync(directory, { throwIfNoEntry: false })?.uid : 0;
  const me = process.getuid?.() ?? owner;
  if (owner === undefined || owner === me) return { dataDir, home, directory, user: undefined };
  throw new EmbeddedError(
    `The database in ${dataDir} belongs to another user of this machine. ` +
      "Start Headwater as that user or as root, or set DATA_DIR to another folder.",
  );
}

/** Data keeps its owner. Data that root has copied here has none yet. */
function ownerOf(directory: string): User | undefined {
  const stat = statSync(directory, { throwIfNoEntry: false });
  return stat && stat.uid !== 0 ? { uid: stat.uid, gid: stat.gid } : undefined;
}

function serviceUser(): User {
  return findUser("headwater") ?? findUser("postgres") ?? createUser("headwater");
}

function findUser(name: string): User | undefined {
  try {
    const id = (flag: string) => Number(execFileSync("id", [flag, name], { stdio: ["ignore", "pipe", "ignore"] }));
    return { uid: id("-u"), gid: id("-g") };
  } catch {
    return undefined;
  }
}

function createUser(name: string): User {
  const env = { PATH: `${process.env.PATH}:/usr/sbin:/sbin` }; // not in every root's PATH
  const nowhere = ["--no-create-home", "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin"];
  try {
    execFileSync("groupadd", ["--system", "--force", name], { env, stdio: "ignore" });
    execFileSync("useradd", ["--system", "--gid", name, ...nowhere, name], { env, stdio: "ignore" });
  } catch {
    // Found by the lookup below: another process may have been faster.
  }
  const user = findUser(name);
  if (user) return user;
  throw new EmbeddedError(
    "PostgreSQL does not run as root, and a user for it could not be created. Start Headwater as an " +
      "ordinary user, create a user named headwater, or set DATABASE_URL.",
  );
}

/** Chooses a new folder for the data of a DATA_DIR that the server's user cannot reach. An older folder is never reused. */
function settle(dataDir: string): string {
  mkdirSync(SHARED, { recursive: true });
  chmodSync(SHARED, 0o711);
  const name = createHash("sha256").update(dataDir).digest("hex").slice(0, 16);
  for (let attempt = 1; ; attempt++) {
    const home = join(SHARED, attempt === 1 ? name : `${name}-${attempt}`);
    if (existsSync(home)) continue;
    mkdirSync(home);
    chmodSync(home, 0o711);
    return point(dataDir, home);
  }
}

/** Writes postgres.path in one step. If two processes do so at once, the first one's place counts. */
function point(dataDir: string, home: string): string {
  const draft = join(dataDir, `postgres.path.${process.pid}`);
  writeFileSync(draft, `${join(home, "postgres")}\n`);
  try {
    linkSync(draft, join(dataDir, "postgres.path"));
    return home;
  } catch {
    rmSync(home, { recursive: true });
    return movedHome(dataDir) as string;
  } finally {
    rmSync(draft);
  }
}
