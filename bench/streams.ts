// Many followers of one process: opens event streams and records when each follower gets each event.
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

export interface Streams {
  /** For each event's object, the moments (`performance.now()`) at which streams received it. */
  heard: ReadonlyMap<string, number[]>;
  close(): void;
}

/** How many connect at once. */
const together = 50;

/** Resolves when all of them are connected. */
export async function openStreams(url: string, headers: Record<string, string>, count: number, query = ""): Promise<Streams> {
  const heard = new Map<string, number[]>();
  const requests: http.ClientRequest[] = [];
  while (requests.length < count) {
    const more = Array.from({ length: Math.min(together, count - requests.length) }, () =>
      open(`${url}/api/v1/event/stream/${query}`, headers, heard),
    );
    requests.push(...(await Promise.all(more)));
  }
  return { heard, close: () => requests.forEach((request) => request.destroy()) };
}

/** A follower that is refused for now tries again, as a client does. */
async function open(url: string, headers: Record<string, string>, heard: Map<string, number[]>): Promise<http.ClientRequest> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const request = http.get(url, { headers, agent: false }, resolve).on("error", reject);
  const answer = await promise;
  if (answer.statusCode === 503) {
    answer.resume();
    await sleep(1000);
    return open(url, headers, heard);
  }
  if (answer.statusCode !== 200) throw new Error(`a stream was answered ${answer.statusCode}`);
  listen(answer, heard);
  return request;
}

function listen(answer: http.IncomingMessage, heard: Map<string, number[]>): void {
  let text = "";
  answer.setEncoding("utf8").on("error", () => {});
  answer.on("data", (piece: string) => {
    const now = performance.now();
    const blocks = (text + piece).split("\n\n");
    text = blocks.pop()!;
    for (const block of blocks) {
      const objectId = /"object_id":"(\w+)"/.exec(block)?.[1];
      if (objectId === undefined) continue;
      const moments = heard.get(objectId);
      if (moments === undefined) heard.set(objectId, [now]);
      else moments.push(now);
    }
  });
}
