import { once } from "node:events";
import { connect } from "node:net";

/** A POST whose sender goes away in the middle of its body. */
export async function cutRequest(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write("POST / HTTP/1.1\r\nhost: receiver\r\ncontent-length: 100\r\n\r\nabc", () => socket.resetAndDestroy());
  await once(socket, "close");
}
