#!/usr/bin/env node
// The command `headwater`, of a clone or of an installed package, under whatever Node is there: it goes on under the right one.

import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import module from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { setup } from "../scripts/setup.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = join(root, "src", "main.ts");
// A package has no sources: Node runs no TypeScript below node_modules.
const main = existsSync(sources) ? sources : join(root, "dist", "release", "main.js");
const cache = join(root, "node_modules", ".cache", "node");

const node = await setup().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
if (realpathSync(node) === realpathSync(process.execPath)) {
  module.enableCompileCache(cache);
  await import(pathToFileURL(main).href);
} else {
  goOnUnder(node);
}

function goOnUnder(node) {
  const child = spawn(node, [main, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { NODE_COMPILE_CACHE: cache, ...process.env },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    // A terminal's Ctrl-C goes to the child too: passed on, it would get it twice.
    process.on(signal, () => (signal === "SIGINT" && process.stdin.isTTY) || child.kill(signal));
  }
  child.on("error", (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal) process.removeAllListeners(signal);
    if (signal) process.kill(process.pid, signal);
    else process.exit(code);
  });
}
