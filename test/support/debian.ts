// Programs of Debian that tests run beside the service. What is missing is installed where that is allowed; elsewhere the test fails and
// says what to do.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { after } from "node:test";

export function needProgram(name: string, path: string): void {
  if (existsSync(path)) return;
  const advice = `this test needs ${name}: \`apt-get install ${name}\`, or run the tests as root on Debian`;
  if (process.getuid!() !== 0 || !existsSync("/usr/bin/apt-get")) throw new Error(advice);
  try {
    execFileSync(new URL("install_package.sh", import.meta.url).pathname, [name, path], { stdio: "pipe" });
  } catch (error) {
    throw new Error(`${advice}; installing it failed: ${String((error as { stderr?: Buffer }).stderr).slice(0, 500)}`);
  }
}

const running = new Set<ChildProcess>();
after(() => running.forEach((child) => child.kill("SIGKILL")));

/** Runs a program until it is stopped, or the tests are done. */
export function runProgram(path: string, given: readonly string[], user: { uid?: number; gid?: number } = {}) {
  const child = spawn(path, given, { stdio: ["ignore", "pipe", "pipe"], ...user });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  running.add(child.once("exit", () => running.delete(child)));
  return {
    said: () => said,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async stop() {
      if (!child.kill("SIGTERM")) return;
      await once(child, "exit");
    },
  };
}
