// One PostgreSQL server process: starts, watches and stops it, and ends servers that earlier processes left behind.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EmbeddedError } from "./errors.ts";
import { asUser, giveToOwner, type Place } from "./place.ts";

export interface Server {
  port: number;
  /** Resolves when the process ends, whatever the reason. */
  exited: Promise<unknown>;
  stop(): Promise<void>;
}

/** Uses little memory when idle, and logs nothing that users wrote. */
const SETTINGS: Record<string, string> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "", // a path in DATA_DIR may be too long for a socket
  shared_buffers: "128MB",
  max_connections: "200", // a process opens forty at most, when it needs them
  autovacuum_naptime: "15s", // until tables are analyzed, PostgreSQL takes any index that has the right order
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  fsync: "on",
  log_checkpoints: "off",
  log_min_messages: "log", // above error: the client gets its errors, and they may quote data
};

const LOG_LIMIT = 10_000_000;

/** Starts a server and waits until it accepts connections. */
export async function launch(place: Place, bin: string, port: number, settings: Record<string, string> = {}): Promise<Server> {
  const all = { ...SETTINGS, ...settings, port: String(port) };
  const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const log = openLog(join(place.dataDir, "postgres.log"));
  const child = spawn(join(bin, "postgres"), ["-D", place.directory, ...flags], {
    ...asUser(place.user),
    cwd: place.directory,
    detached: true, // a session of its own: Ctrl-C reaches us alone, and requests can drain
    stdio: ["ignore", log.handle, log.handle],
  });
  closeSync(log.handle);
  const exited = lifeOf(child);

  const failure = await Promise.race([exited, ready(place.directory, child)]);
  if (failure !== undefined) throw new StartFailure(log, String(failure));
  const stop = async () => {
    child.ref(); // from here on the process waits for it
    await end(child.pid as number, place.directory);
    await exited;
  };
  return { port, exited, stop };
}

/** Why a server did not start. Some reasons pass: a port that was just taken, or processes of a killed server. */
export class StartFailure extends EmbeddedError {
  passing: boolean;

  constructor(log: Log, end: string) {
    const words = readFileSync(log.path).subarray(log.start).toString();
    const reason = /(?:FATAL|PANIC): +(.*)/.exec(words)?.[1] ?? words.trim().split("\n").at(-1);
    super(`PostgreSQL did not start: ${reason || end}. Its log: ${log.path}`);
    this.passing = /could not create any TCP|pre-existing shared memory|"postmaster.pid" already/.test(words);
  }
}

/** The server that a data directory says is running, if it really runs. */
export function liveServer(directory: string): { pid: number; port: number; ready: boolean } | undefined {
  const lines = read(join(directory, "postmaster.pid")).split("\n");
  const pid = Number(lines[0]);
  if (!pid || !isServerOf(directory, pid)) return undefined;
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === "ready" };
}

/**
 * Stops the server that a killed parent left behind. If the server is gone, removes its pid file: another process may have the
 * same id by now, and PostgreSQL would take it for a running server.
 */
export async function endOrphan(directory: string): Promise<void> {
  const orphan = liveServer(directory);
  if (orphan) await end(orphan.pid, directory);
  else rmSync(join(directory, "postmaster.pid"), { force: true });
}

/** Fast shutdown, which ends transactions and writes a checkpoint; a harder one if that takes too long. */
async function end(pid: number, directory: string): Promise<void> {
  const steps = [
    ["SIGINT", 10_000],
    ["SIGQUIT", 5000],
    ["SIGKILL", 5000],
  ] as const;
  for (const [signal, limit] of steps) {
    if (isServerOf(directory, pid)) send(pid, signal);
    for (const deadline = performance.now() + limit; performance.now() < deadline; ) {
      await sleep(10); // also after the last check: the port closes a moment after the process has ended
      if (!isServerOf(directory, pid)) return;
    }
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Whether a process is a PostgreSQL of this data directory, and not a zombie or a stranger. */
function isServerOf(directory: string, pid: number): boolean {
  const command = process.platform === "linux" ? read(`/proc/${pid}/cmdline`) : commandOf(pid);
  return command.replaceAll("\0", " ").includes(` -D ${directory} `);
}

function commandOf(pid: number): string {
  try {
    return execFileSync("ps", ["-ww", "-o", "command=", "-p", String(pid)], { encoding: "utf8" });
  } catch {
    return "";
  }
}

interface Log {
  handle: number;
  path: string;
  /** The length of the log before this start. */
  start: number;
}

function openLog(path: string): Log {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_LIMIT) renameSync(path, `${path}.1`);
  const handle = openSync(path, "a", 0o600);
  giveToOwner(path);
  return { path, handle, start: size > LOG_LIMIT ? 0 : size };
}

/** Resolves with the reason why the process ended. If we end first, the server is told to stop. */
function lifeOf(child: ChildProcess): Promise<unknown> {
  const endWithUs = () => child.kill("SIGINT");
  process.once("exit", endWithUs);
  child.unref(); // it alone does not keep this process alive
  return new Promise((resolve) => {
    const ended = (reason: unknown) => {
      process.off("exit", endWithUs);
      resolve(reason);
    };
    child.once("error", ended);
    child.once("exit", (code, signal) => ended(`it ended with ${signal ?? code}`));
  });
}

async function ready(directory: string, child: ChildProcess): Promise<undefined> {
  while (child.pid && child.exitCode === null && child.signalCode === null) {
    const server = liveServer(directory);
    if (server?.pid === child.pid && server?.ready) return;
    await sleep(10);
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
