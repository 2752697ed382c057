// Makes what is installed elsewhere. `npm pack` runs it for the npm package; `node scripts/pack.ts FOLDER` also puts together all that
// the image needs, with the few packages that are not in the bundle.

import { cpSync, existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bundle, OUTSIDE } from "./build.ts";

/** As deep below the root as the sources. */
export const releaseFolder = "dist/release";
/** Read beside the code while the service runs, as `files` of package.json says too. */
const BESIDE = ["bin", "scripts/setup.mjs", "migrations", "generated", "src/reference/static", "package.json", "LICENSE"];
/** How the code names packages that it finds while it runs, so that no bundle has them: by `require`, or by the place of their files. */
const FOUND_LATER = /(?:import\.meta\.resolve|createRequire\(import\.meta\.url\)|\brequire)\("((?:@[^/"]+\/)?[^/"]+)/g;

if (import.meta.main) {
  await makeRelease();
  const [folder] = process.argv.slice(2);
  if (folder !== undefined) assemble(folder);
}

export async function makeRelease(): Promise<void> {
  rmSync(releaseFolder, { recursive: true, force: true });
  await bundle(["src/main.ts"], releaseFolder);
}

export function assemble(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const path of [...BESIDE, releaseFolder, ...globSync("docs/{*,decisions/*}.md"), ...packages()])
    cpSync(path, join(folder, path), { recursive: true, verbatimSymlinks: true });
}

interface Locked {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** The folders of the packages outside of the bundle and of those that they need, as the lock file has them. */
function packages(): string[] {
  const locked: Record<string, Locked> = JSON.parse(readFileSync("package-lock.json", "utf8")).packages;
  const found = new Set<string>();
  const add = (name: string, from: string) => {
    const path = foundFrom(name, from, locked);
    // Packages of other systems are in the lock file too.
    if (path === null || found.has(path) || !existsSync(path)) return;
    found.add(path);
    const { dependencies = {}, optionalDependencies = {} } = locked[path]!;
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) add(needed, path);
  };
  for (const name of [...OUTSIDE.filter((one) => !one.includes("*")), ...foundLater()]) add(name, "");
  return [...found].filter((path) => ![...found].some((other) => path.startsWith(`${other}/`)));
}

function foundLater(): string[] {
  const files = globSync("src/**/*.ts", { exclude: ["**/*.test.ts"] });
  return files.flatMap((file) => [...readFileSync(file, "utf8").matchAll(FOUND_LATER)].map(([, name]) => name!));
}

/** As Node looks for it: in the package's own folder, then in those above. */
function foundFrom(name: string, from: string, locked: Record<string, Locked>): string | null {
  for (let place = from; ; place = place.includes("/node_modules/") ? place.slice(0, place.lastIndexOf("/node_modules/")) : "") {
    const path = join(place, "node_modules", name);
    if (path in locked) return path;
    if (place === "") return null;
  }
}
