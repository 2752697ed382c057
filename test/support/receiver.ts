// A webhook receiver: a real server that keeps what it gets, and responds as a test says.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after } from "node:test";

export interface Received {
  headers: Record<string, string>;
  /** The bytes as they came. */
  text: string;
  body: any;
}

export type Answers = number | ((received: Received, response: ServerResponse) => void);

export interface Receiver {
  url: string;
  received: Received[];
  /** Sets what it responds from now on: a status, or whatever a function does. */
  answers: Answers;
  /** The ids of the records it got events about, in order of arrival. */
  objects(): string[];
  close(): void;
}

const open = new Set<Receiver>();
after(() => open.forEach((one) => one.close()));

/** Starts a receiver, which is closed with the tests. With a key and a certificate it uses TLS. */
export async function receiver(answers: Answers = 200, secure?: { key: string; cert: string }): Promise<Receiver> {
  const received: Received[] = [];
  const take = (request: IncomingMessage, response: ServerResponse) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (piece) => (text += piece));
    request.on("end", () => {
      const one = { headers: request.headers as Record<string, string>, text, body: JSON.parse(text) };
      received.push(one);
      if (typeof made.answers === "number") response.writeHead(made.answers).end("ok");
      else made.answers(one, response);
    });
  };
  const server = secure === undefined ? createServer(take) : createSecureServer(secure, take);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const made: Receiver = {
    url: `${secure === undefined ? "http" : "https"}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answers,
    objects: () => received.map(({ body }) => body.event.object_id),
    close() {
      open.delete(made);
      server.close();
      server.closeAllConnections();
    },
  };
  open.add(made);
  return made;
}
