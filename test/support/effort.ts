// Measures how much work something takes, whatever else the machine does: processor time, in milliseconds.
import { readFileSync } from "node:fs";

/** What some work takes of this process's time. */
export function effortOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return effortSince(before);
}

export function effortSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** What this process has taken until now, and all processes below it that have ended. Only Linux tells about those. */
export function effortOfAll(): number {
  if (process.platform !== "linux") return effortSince({ user: 0, system: 0 });
  const [, fields = ""] = readFileSync("/proc/self/stat", "latin1").split(/\) (?=[^)]*$)/);
  const ticks = fields.split(" ").slice(11, 15).map(Number); // utime, stime, cutime, cstime, in hundredths of a second
  return ticks.reduce((sum, one) => sum + one, 0) * 10;
}
