// Webhook receivers in their own process: each listens on a port, answers 200 at once or never, and reports how old each event
// was.
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";

export interface Receivers {
  /** How many receivers answer, and how many accept a request and never answer. */
  healthy: number;
  silent: number;
}

/** What the healthy receivers got since the last report. */
export interface Received {
  count: number;
  /** Milliseconds from an event to its arrival. */
  ages: number[];
  /** From the first to the last, in milliseconds. */
  from: number;
  to: number;
}

let received: Received = none();

function none(): Received {
  return { count: 0, ages: [], from: 0, to: 0 };
}

/** Parses as little as possible, because the receiver shares the machine with the sender. */
function take(request: http.IncomingMessage, response: http.ServerResponse): void {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (piece) => (text += piece));
  request.on("end", () => {
    const now = Date.now();
    response.writeHead(200, { "content-length": 0 }).end();
    // A new lead and its event have the same time, so the first date in the text is right.
    const made = /"date_created":"([^"]+)"/.exec(text)?.[1];
    if (made !== undefined) received.ages.push(now - Date.parse(made));
    if (received.count++ === 0) received.from = now;
    received.to = now;
  });
}

async function listen(answer: http.RequestListener): Promise<string> {
  const server = http.createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

if (process.argv[1] === import.meta.filename) {
  process.once("disconnect", () => process.exit());
  process.on("message", async (asked: Receivers | "report") => {
    if (asked === "report") {
      process.send!(received);
      received = none();
      return;
    }
    const many = (count: number, answer: http.RequestListener) =>
      Promise.all(Array.from({ length: count }, () => listen(answer)));
    const [healthy, silent] = await Promise.all([many(asked.healthy, take), many(asked.silent, () => {})]);
    process.send!({ healthy, silent });
  });
}
