// Ports for programs that cannot be told to choose one.
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Ports that nobody uses at the moment. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

export const freePort = async (): Promise<number> => (await freePorts(1))[0]!;
