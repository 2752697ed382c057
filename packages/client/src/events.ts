// The stream of events, by server-sent events. The usual parsers hide an id that comes without an event, and that id is the cursor
// which keeps a quiet follower from falling behind.
import { type Attempts, attempt, sleep } from "./attempts.ts";
import { HeadwaterError, refusalOf } from "./error.ts";

export interface FollowOptions {
  /** Goes on after this cursor; without one, what happens from now on comes. */
  cursor?: string;
  /** Which events, by the filters of the list: `{ object_type: "lead" }`. */
  query?: Record<string, string>;
  /** Ends it: the iteration throws the signal's reason. */
  signal?: AbortSignal;
}

export interface Followed<E> {
  /** Store it together with what you made of the event. */
  cursor: string;
  /** Null when nothing has happened for a while, and the cursor has moved all the same. */
  event: E | null;
}

interface Source extends FollowOptions {
  url: string;
  key: string;
  attempts: Attempts;
}

/** How long to wait before connecting again, in milliseconds. */
const pause = 2000;
const path = "/event/stream/";

export async function* follow<E>({
  cursor = "",
  query = {},
  signal,
  ...source
}: Source): AsyncGenerator<Followed<E>, never, undefined> {
  const ended = signal ?? new AbortController().signal;
  for (let last = cursor; ; await sleep(pause, ended)) {
    try {
      for await (const followed of connection<E>(last, query, ended, source)) {
        last = followed.cursor;
        yield followed;
      }
    } catch (error) {
      if (ended.aborted || !passes(error)) throw error;
    }
  }
}

/** A refusal is for the caller. A connection that broke, and a service that is busy, being restarted or in trouble, are for us. */
function passes(error: unknown): boolean {
  if (error instanceof HeadwaterError) return error.status === 429 || error.status >= 500;
  return error instanceof TypeError;
}

async function* connection<E>(
  cursor: string,
  query: Record<string, string>,
  signal: AbortSignal,
  { url, key, attempts }: Omit<Source, keyof FollowOptions>,
): AsyncGenerator<Followed<E>, void, undefined> {
  const headers = { authorization: `Bearer ${key}`, accept: "text/event-stream", ...(cursor && { "last-event-id": cursor }) };
  const response = await attempt(new Request(`${url}${path}?${new URLSearchParams(query)}`, { headers, signal }), path, attempts);
  if (!response.ok) throw await refusalOf(response);
  let text = "";
  for await (const piece of decoded(response)) {
    const blocks = (text + piece).split(/\r?\n\r?\n/);
    text = blocks.pop()!;
    for (const block of blocks) {
      const followed = read<E>(block);
      if (followed !== null) yield followed;
    }
  }
}

async function* decoded({ body }: Response): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  const reader = body!.getReader();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read())
      yield decoder.decode(piece.value, { stream: true });
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function read<E>(block: string): Followed<E> | null {
  const values = new Map(block.split(/\r?\n/).map((line) => cut(line)));
  const cursor = values.get("id");
  const data = values.get("data");
  return cursor === undefined ? null : { cursor, event: data === undefined ? null : (JSON.parse(data) as E) };
}

function cut(line: string): [string, string] {
  const [, name = line, value = ""] = /^([^:]*): ?(.*)$/s.exec(line) ?? [];
  return [name, value];
}
