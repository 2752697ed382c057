// Sends a request to the API of another service and reads the whole response. Uses the kept connections of `post_public.ts`,
// which reach only public addresses. Redirects are not followed.
import { type FormData, request } from "undici";
import { agentFor, NotPosted, problemOf } from "./post_public.ts";
import type { PublicAddresses } from "./public_address.ts";
import { withoutSecrets } from "./without_secrets.ts";

export interface Asking {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  headers?: Record<string, string>;
  body?: string | FormData;
  /** The answer is for whoever wrote the headers, so it is left as it is. */
  isTheirs?: boolean;
}

export interface Answer {
  status: number;
  retryAfter: string | null;
  text: string;
  /** The text is only its beginning. */
  isCut: boolean;
}

/** Limits of one exchange: its duration and the size of the response. */
export interface AskLimits {
  wholeMs: number;
  bytes: number;
  /** A longer response is read up to there, instead of failing. */
  cuts?: boolean;
}

const usual: AskLimits = { wholeMs: 15_000, bytes: 16 * 1024 * 1024 };

/** Returns the response, whatever its status. Throws `NotPosted` when there is no response, or when it is too large. */
export async function askPublic(addresses: PublicAddresses, asking: Asking, limits = usual): Promise<Answer> {
  if (!addresses.allowsHost(asking.url)) throw new NotPosted("address", "has no public address");
  const { method, url, headers = {}, body, isTheirs } = asking;
  const signal = AbortSignal.timeout(limits.wholeMs);
  try {
    const waits = { headersTimeout: limits.wholeMs, bodyTimeout: limits.wholeMs };
    const answer = await request(url, { dispatcher: agentFor(addresses, true), method, headers, body, signal, ...waits });
    const { text, isCut } = await readText(answer.body, limits);
    const retryAfter = [answer.headers["retry-after"] ?? null].flat()[0]!;
    return { status: answer.statusCode, retryAfter, text: isTheirs ? text : withoutSecrets(text, headers), isCut };
  } catch (error) {
    if (signal.aborted) throw new NotPosted("timeout", "did not answer in time");
    throw problemOf(error as Error);
  }
}

async function readText(
  body: AsyncIterable<Buffer>,
  { bytes: most, cuts }: AskLimits,
): Promise<{ text: string; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > most && !cuts) throw new NotPosted("reset", `answered more than ${most} bytes`);
    chunks.push(chunk);
    if (length > most) break;
  }
  return { text: Buffer.concat(chunks).subarray(0, most).toString("utf8"), isCut: length > most };
}

/** A response body as JSON. Null when it is not JSON. */
export function jsonOf({ text }: Pick<Answer, "text">): any {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
