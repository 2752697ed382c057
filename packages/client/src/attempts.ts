// Sends a request until it is answered for good. What may have had its effect already is only sent again when that is safe: a GET, or a
// write with an idempotency key, which the service recognizes.
import type { Quotas } from "./quotas.ts";

export interface Attempts {
  fetch: typeof globalThis.fetch;
  quotas: Quotas;
  /** How often a request is sent again. */
  retries: number;
  /** Who is told to wait longer than this, in milliseconds, gets the refusal instead. */
  longestWait: number;
}

/** The service is busy or is being restarted; the request had no effect. */
const refusedForNow = new Set([429, 503]);
/** A proxy has lost the service; the request may have had its effect. */
const lost = new Set([502, 504]);

export async function attempt(request: Request, path: string, options: Attempts): Promise<Response> {
  const { fetch, quotas, retries, longestWait } = options;
  for (let tried = 0; ; tried++) {
    const wait = quotas.waitOf(path);
    if (wait <= longestWait) await sleep(wait, request.signal);
    const isLast = tried >= retries;
    let delay = backoff(tried);
    try {
      // A request's body can be read once.
      const response = await fetch(isLast ? request : request.clone());
      await arrived(response);
      quotas.note(path, response);
      delay = secondsAfter(response) ?? delay;
      if (isLast || delay > longestWait || !mayTryAgain(request, response)) return response;
      await response.body?.cancel();
    } catch (error) {
      if (isLast || request.signal.aborted || !isRecognized(request)) throw error;
    }
    await sleep(delay, request.signal);
  }
}

/** An answer may break off in its middle too. Files and streams are the caller's to read. */
async function arrived(response: Response): Promise<void> {
  const { headers } = response;
  const isWhole = headers.get("content-type")?.startsWith("application/json") && !headers.has("content-disposition");
  if (isWhole) await response.clone().arrayBuffer();
}

function mayTryAgain(request: Request, { status, headers }: Response): boolean {
  if (refusedForNow.has(status)) return true;
  // The first attempt of a write with this key is still running.
  if (status === 409 && headers.has("retry-after")) return true;
  return lost.has(status) && isRecognized(request);
}

const isRecognized = ({ method, headers }: Request): boolean => method === "GET" || headers.has("idempotency-key");

function secondsAfter({ headers }: Response): number | undefined {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return Number.isNaN(seconds) ? undefined : seconds * 1000;
}

/** From a quarter of a second on, twice as long each time, somewhere in its upper half: clients that failed together come apart. */
const backoff = (tried: number): number => Math.min(8000, 250 * 2 ** tried) * (0.5 + Math.random() / 2);

export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms);
    function done() {
      signal.removeEventListener("abort", stop);
      resolve();
    }
    function stop() {
      clearTimeout(timer);
      reject(signal.reason);
    }
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
  });
}
