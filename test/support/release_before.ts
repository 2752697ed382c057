// The release before this one, as its own process runs it: that of the last tag, or else the last commit before the newest migration.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

export interface Release {
  /** Its start file. */
  main: string;
  migrations: number;
  /** What it is, for whoever reads the test's output. */
  name: string;
  isOlder: boolean;
}

const root = new URL("../..", import.meta.url).pathname;
const git = (...command: string[]) =>
  execFileSync("git", ["-C", root, ...command], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 2 ** 30 });

/** Puts it into a folder. A checkout without the history has none: then it is this release itself. */
export function releaseBefore(folder: string): Release {
  const commit = commitBefore();
  const place = commit === null ? root : join(folder, "release-before");
  if (commit !== null) {
    mkdirSync(place);
    const archive = join(folder, "release.tar");
    git("archive", "--output", archive, commit);
    execFileSync("tar", ["-xf", archive, "-C", place]);
    symlinkSync(join(root, "node_modules"), join(place, "node_modules"));
  }
  return {
    main: join(place, "src", "main.ts"),
    migrations: readdirSync(join(place, "migrations")).filter((file) => file.endsWith(".sql")).length,
    name: commit === null ? "this release itself, because this checkout has no history" : `commit ${commit.slice(0, 12)}`,
    isOlder: commit !== null,
  };
}

function commitBefore(): string | null {
  if (!existsSync(join(root, ".git"))) return null;
  try {
    const tag = git("tag", "--merged", "HEAD", "--sort=-creatordate", "--list", "v*").split("\n")[0]!.trim();
    if (tag !== "") return git("rev-list", "-1", tag).trim();
    const newest = git("log", "-1", "--diff-filter=A", "--format=%H", "--", "migrations").trim();
    return git("rev-parse", "--verify", "--quiet", `${newest}^`).trim();
  } catch {
    return null;
  }
}
