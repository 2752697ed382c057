// Measures how much work something takes, whatever else the machine does: processor time of this process, in milliseconds.

export function effortOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return effortSince(before);
}

export function effortSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
