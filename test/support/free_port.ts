// Ports for programs that cannot be told to choose one.
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that a system gives to whoever asks for any, so that nobody takes one before its program does. */
const [lowest, highest] = [12_000, 32_000];

/** Ports that nobody uses at the moment. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    await new Promise((done) => server.close(done));
  }
}

export const freePort = async (): Promise<number> => (await freePorts(1))[0]!;
