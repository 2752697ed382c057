// A crowd of clients in its own process, so that it takes no time from the process that measures. It sends requests at a fixed
// rate, however long responses take, each on its own connection. A few connections in a loop would not behave like that.
import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface Group {
  name: string;
  perSecond: number;
  method: "GET" | "POST";
  /** Paths and bodies, requested in turn. */
  requests: readonly { path: string; body?: string }[];
}

export interface Crowd {
  url: string;
  headers: Record<string, string>;
  seconds: number;
  groups: readonly Group[];
  /** Connections that send one byte of a request now and then. */
  slow: number;
}

/** The response times in milliseconds by status. Status 0 means no response. */
export type Answers = Record<string, Record<number, number[]>>;

/** A machine has a limited number of ports. Requests beyond this are not sent. */
const openMost = 4_000;

let open = 0;

async function run({ url, headers, seconds, groups, slow }: Crowd): Promise<Answers> {
  const sockets = Array.from({ length: slow }, () => dribble(url));
  if (slow > 0) await sleep(2000);
  const answers: Answers = {};
  await Promise.all(groups.map((group) => askAtPace(url, headers, seconds, group, (answers[group.name] = {}))));
  for (const stop of sockets) stop();
  return answers;
}

async function askAtPace(
  url: string,
  headers: Record<string, string>,
  seconds: number,
  group: Group,
  answers: Answers[string],
): Promise<void> {
  const begun = performance.now();
  const asked: Promise<void>[] = [];
  for (let i = 0; i < seconds * group.perSecond; i++) {
    const dueIn = begun + (i * 1000) / group.perSecond - performance.now();
    if (dueIn > 1) await sleep(dueIn);
    if (open >= openMost) continue;
    const { path, body } = group.requests[i % group.requests.length]!;
    asked.push(ask(url + path, group.method, headers, body, answers));
  }
  await Promise.all(asked);
}

/** Never rejects. */
async function ask(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: string | undefined,
  answers: Answers[string],
): Promise<void> {
  const begun = performance.now();
  open++;
  let status = 0;
  try {
    const request = http.request(url, { method, headers, agent: false, timeout: 60_000 });
    request.on("timeout", () => request.destroy());
    request.end(body);
    const [answer] = (await once(request, "response")) as [http.IncomingMessage];
    answer.resume();
    await once(answer, "end");
    status = answer.statusCode!;
  } catch {
    // There was no response, as the status shows.
  }
  open--;
  (answers[status] ??= []).push(performance.now() - begun);
}

/** Opens a connection that never finishes its request. */
function dribble(url: string): () => void {
  const { hostname, port } = new URL(url);
  let socket: net.Socket;
  const connect = () => {
    socket = net.connect(Number(port), hostname).on("error", () => {});
    socket.write("GET /api/v1/me/ HTTP/1.1\r\n");
  };
  connect();
  const letters = setInterval(() => (socket.destroyed ? connect() : socket.write("x")), 500 + Math.random() * 1000);
  return () => {
    clearInterval(letters);
    socket.destroy();
  };
}

if (process.argv[1] === import.meta.filename)
  process.once("message", async (crowd: Crowd) => {
    const answers = await run(crowd);
    process.send!(answers, () => process.exit());
  });
