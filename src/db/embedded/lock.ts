// Locks of a data directory that end with the process that holds them, however it ends.
//
// Node has no flock. SQLite, which is part of Node, locks its files through the operating system. The kernel frees such a lock
// after a SIGKILL, reused process ids do no harm, and two containers on one volume see the same lock. The files stay empty.
// Nothing else in the process may open them: closing any other handle of a file gives up all POSIX locks that the process has on
// it.

import { accessSync, closeSync, constants, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EmbeddedError } from "./errors.ts";
import { giveToOwner, makeFolder } from "./place.ts";

export interface Lock extends Disposable {
  release(): void;
}

/** Refuses a second service on the same DATA_DIR. Held until released or until the process ends. */
export function lockDataDir(dataDir: string): Lock {
  const folder = makeFolder(dataDir);
  checkWritable(folder);
  const note = join(folder, "headwater.pid");
  const lock = hold(join(folder, "headwater.lock"));
  if (!lock) {
    throw new EmbeddedError(
      `Headwater already runs on ${folder} (process ${read(note) || "unknown"}). ` +
        "Stop it first, or set DATA_DIR to another folder.",
    );
  }

  writeFileSync(note, `${process.pid}\n`);
  giveToOwner(note);
  return lock;
}

/** Takes a lock for this process alone; undefined while another process holds it. */
export function hold(file: string): Lock | undefined {
  return lock(file, "pragma journal_mode = off; begin exclusive");
}

/** Takes a lock together with others who share it; undefined while a process holds it alone. */
export function share(file: string): Lock | undefined {
  return lock(file, "begin; select count(*) from sqlite_schema");
}

function checkWritable(folder: string): void {
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    throw new EmbeddedError(
      `This user may not write to ${folder}. Start Headwater as the folder's owner or as root, or set DATA_DIR to another folder.`,
    );
  }
}

const SQLITE_BUSY = 5;

/** Keeps locks from being garbage collected, which would release them. */
const held = new Set<DatabaseSync>();

function lock(file: string, statements: string): Lock | undefined {
  if (!existsSync(file)) {
    closeSync(openSync(file, "a", 0o600));
    giveToOwner(file);
  }
  accessSync(file, constants.W_OK); // SQLite would open it read-only and lock nothing
  const database = new DatabaseSync(file);
  try {
    database.exec(statements);
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }

  held.add(database);
  const release = () => {
    if (held.delete(database)) database.close();
  };
  return { release, [Symbol.dispose]: release };
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return "";
  }
}
