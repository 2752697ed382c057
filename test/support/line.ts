// A connection that tests can cut, slow down and count: a proxy on its own port that passes everything on.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

export interface Line {
  port: number;
  /** How many connections were made through it. */
  connections: number;
  /** It breaks after this many bytes from the server over one connection. Null for a stable connection. */
  breaksAfter: number | null;
  /** The maximum speed of the server's bytes. Null for no limit. */
  bytesPerSecond: number | null;
  /** Breaks all connections. New ones are stable. */
  cut(): void;
  close(): void;
}

/** Ends with the test file. */
export async function lineTo(port: number, host = "127.0.0.1"): Promise<Line> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    line.connections++;
    const far = connect(port, host);
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    void handOn(line, far, near).catch(() => near.destroy());
  }).listen(0, host);
  await once(server, "listening");
  const line: Line = {
    port: (server.address() as AddressInfo).port,
    connections: 0,
    breaksAfter: null,
    bytesPerSecond: null,
    cut() {
      for (const socket of open) socket.destroy();
    },
    close() {
      server.close();
      line.cut();
    },
  };
  lines.push(line);
  return line;
}

const lines: Line[] = [];
after(() => {
  for (const line of lines) line.close();
});

const pieceMs = 20;

async function handOn(line: Line, from: Socket, to: Socket): Promise<void> {
  let bytes = 0;
  for await (const chunk of from as AsyncIterable<Buffer>) {
    for (let rest = chunk; rest.length > 0; ) {
      const most = line.bytesPerSecond === null ? rest.length : Math.max(1, Math.floor((line.bytesPerSecond * pieceMs) / 1000));
      to.write(rest.subarray(0, most));
      bytes += Math.min(most, rest.length);
      rest = rest.subarray(most);
      if (line.breaksAfter !== null && bytes >= line.breaksAfter) return void to.destroy();
      if (line.bytesPerSecond !== null) await sleep(pieceMs);
    }
  }
}
