// The data directory of PostgreSQL. It is made once, with a database, a password and a port that stay the same.

import { execFile, execFileSync } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { EmbeddedError } from "./errors.ts";
import { asUser, giveToOwner, type Place } from "./place.ts";

const execute = promisify(execFile);

/** Makes the data directory if there is none. A directory from elsewhere gets our user and password. */
export async function prepareCluster(place: Place, bin: string): Promise<void> {
  if (!existsSync(join(place.directory, "PG_VERSION"))) return createCluster(place, bin);

  if (place.user && statSync(place.directory).uid !== place.user.uid) {
    execFileSync("chown", ["-R", `${place.user.uid}:${place.user.gid}`, place.directory]);
  }
  chmodSync(place.directory, 0o700); // PostgreSQL refuses to start with wider permissions
  if (!existsSync(passwordFile(place))) {
    await single(place, bin, place.directory, [`alter role headwater password '${newPassword(place)}'`]);
  }
}

/** The address that a pool of connections uses. */
export function urlOf(place: Place, port: number): string {
  const password = readFileSync(passwordFile(place), "utf8").trim();
  return `postgres://headwater:${password}@127.0.0.1:${port}/headwater`;
}

/** The port of the last start, or another one if that port is taken now. */
export async function choosePort(place: Place): Promise<number> {
  const file = join(place.home, "postgres.port");
  const last = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
  if (last && (await isFree(last))) return last;

  let port: number;
  // Below the ports that systems use for outgoing connections.
  do port = randomInt(20_000, 32_000);
  while (!(await isFree(port)));
  writeFileSync(file, `${port}\n`);
  giveToOwner(file);
  return port;
}

/** Makes everything in a draft that is renamed at the end, so that a data directory that exists is complete. */
async function createCluster(place: Place, bin: string): Promise<void> {
  const draft = `${place.directory}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  if (place.user) chownSync(draft, place.user.uid, place.user.gid);

  const locale = process.platform === "darwin" ? "en_US.UTF-8" : "C.UTF-8"; // macOS has no C.UTF-8
  const locales = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", `--locale=${locale}`];
  const access = ["-U", "headwater", "-A", "reject"];
  const flags = ["-D", draft, "-E", "UTF8", ...locales, ...access, "--no-instructions"];
  await program(place, join(bin, "initdb"), flags);
  // Every connection must give the password. It is set by our own statement, so initdb never writes it to a file.
  writeFileSync(join(draft, "pg_hba.conf"), "host all all 127.0.0.1/32 scram-sha-256\n");
  await single(place, bin, draft, [`alter role headwater password '${newPassword(place)}'`, "create database headwater"]);
  renameSync(draft, place.directory);
}

/** Runs statements without a server. */
async function single(place: Place, bin: string, directory: string, statements: string[]): Promise<void> {
  const flags = ["--single", "-D", directory, "postgres"];
  const said = await program(place, join(bin, "postgres"), flags, `${statements.join("\n")}\n`);
  if (/ERROR|FATAL/.test(said)) throw new EmbeddedError(`PostgreSQL could not be set up: ${said.trim()}`);
}

/** Runs a program of PostgreSQL to its end and returns its output. */
async function program(place: Place, file: string, flags: string[], input = ""): Promise<string> {
  const running = execute(file, flags, { ...asUser(place.user), cwd: place.home });
  running.child.stdin?.end(input);
  try {
    const { stdout, stderr } = await running;
    return stdout + stderr;
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new EmbeddedError(`PostgreSQL could not be set up: ${stderr?.trim() || message}`);
  }
}

function passwordFile(place: Place): string {
  return join(place.dataDir, "postgres.password");
}

function newPassword(place: Place): string {
  const password = randomBytes(24).toString("base64url");
  writeFileSync(passwordFile(place), `${password}\n`, { mode: 0o600 });
  giveToOwner(passwordFile(place));
  return password;
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen({ port, host: "127.0.0.1" }, () => probe.close(() => resolve(true)));
  });
}
