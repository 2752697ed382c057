// Stands between a client and a server, and hears what the client says, byte for byte.
import { once } from "node:events";
import { type AddressInfo, connect as connectTo, createServer, type Socket } from "node:net";

export interface Between {
  /** Where the client connects in place of the server. */
  port: number;
  /** Breaks all connections off. */
  drop(): void;
  close(): void;
}

export async function between(port: number, heard: (said: string) => void): Promise<Between> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const there = connectTo(port, "127.0.0.1");
    open.add(socket);
    socket.on("data", (chunk) => {
      heard(chunk.toString("latin1"));
      there.write(chunk);
    });
    there.pipe(socket);
    for (const one of [socket, there])
      one.on("error", () => {}).on("close", () => (open.delete(socket), socket.destroy(), there.destroy()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    drop: () => open.forEach((socket) => socket.destroy()),
    close: () => server.close(),
  };
}
