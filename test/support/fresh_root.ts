// A fresh Debian in a folder, and programs in it that see nothing else of this machine but its network: what a container is, where there
// is no container engine.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { needProgram } from "./debian.ts";

/** Where Debian is unpacked once for all runs of a machine. */
const kept = "/var/cache/headwater-tests";

export function freshRoot(folder: string): string {
  needProgram("mmdebstrap", "/usr/bin/mmdebstrap");
  const archive = join(kept, "bookworm.tar");
  mkdirSync(kept, { recursive: true });
  if (!existsSync(archive)) {
    const draft = `${archive}.${process.pid}`;
    execFileSync("mmdebstrap", ["--variant=essential", "--include=libstdc++6,passwd", "bookworm", draft], { stdio: "pipe" });
    execFileSync("mv", [draft, archive]);
  }
  mkdirSync(folder);
  execFileSync("tar", ["-xf", archive, "-C", folder, "--exclude=./dev/*"]);
  // As in the image that the Dockerfile begins with.
  cpSync(process.execPath, join(folder, "usr/local/bin/node"));
  return folder;
}

export interface Inside {
  env?: Record<string, string>;
  /** `uid:gid`; without, it is root. */
  user?: string;
  /** Folders of this machine that may be written to there. Everything else may then only be read. */
  volumes?: Record<string, string>;
}

/** Starts a program inside, with mounts of its own that end with it. */
export function spawnInside(root: string, command: readonly string[], { env = {}, user = "0:0", volumes }: Inside = {}) {
  const mounts =
    volumes === undefined
      ? []
      : [
          `mount --bind ${root} ${root}`,
          `mount -o remount,bind,ro ${root}`,
          `mount -t tmpfs tmpfs ${root}/tmp`,
          ...Object.entries(volumes).map(([there, here]) => `mount --bind ${here} ${root}${there}`),
        ];
  const script = [...mounts, `mount -t proc proc ${root}/proc`, `mount --bind /dev ${root}/dev`, `exec "$@"`].join(" && ");
  const variables = Object.entries({ PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", ...env });
  return spawn(
    "unshare",
    [
      "--mount",
      "sh",
      "-c",
      script,
      "sh",
      "chroot",
      `--userspec=${user}`,
      root,
      "/usr/bin/env",
      "-i",
      ...variables.map(([name, value]) => `${name}=${value}`),
      ...command,
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
}

export async function runInside(root: string, command: readonly string[], inside: Inside = {}): Promise<number | null> {
  const child = spawnInside(root, command, inside);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const [code] = await once(child, "close");
  if (code !== 0 && said !== "") console.error(said);
  return code;
}
