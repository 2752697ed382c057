// Measures one server with a fixed number of connections: response counts and response times.
import autocannon from "autocannon";

export interface Load {
  url: string;
  method?: "GET" | "POST" | "PUT" | "DELETE";
  headers?: Record<string, string>;
  body?: string;
  /** Paths, requested in turn. A function is called again for each request. */
  paths: readonly string[] | (() => { path: string; body?: string; method?: Load["method"] });
  connections: number;
  /** The measured time, after a warm-up. An idle server lost its compiled code and has cold caches. */
  seconds: number;
  leadInSeconds: number;
  /** A number of requests instead of a duration. The first quarter is not counted. */
  amount?: number;
}

export interface Measured {
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p95: number;
  p99: number;
  failures: number;
}

/** Runs a load and fails when a response was not a success: a refusal is fast and would measure nothing. */
export async function measure(load: Load): Promise<Measured> {
  const { url, connections, seconds, leadInSeconds, amount } = load;
  const latencies: number[] = [];
  // The instance is a promise of its result, and also emits every response.
  const run = autocannon({
    url,
    connections,
    ...(amount === undefined ? { duration: leadInSeconds + seconds } : { amount }),
    requests: requestsOf(load),
  }) as Promise<autocannon.Result> & NodeJS.EventEmitter;
  let passedOver = amount === undefined ? 0 : amount / 4;
  let countedFrom = performance.now() + (amount === undefined ? leadInSeconds * 1000 : 0);
  let last = countedFrom;
  run.on("response", (_client: unknown, _status: number, _bytes: number, ms: number) => {
    last = performance.now();
    if (passedOver > 0) {
      passedOver--;
      countedFrom = last;
    } else if (last >= countedFrom) latencies.push(ms);
  });
  const result = await run;
  const failures = result.non2xx + result.errors + result.timeouts;
  if (failures > 0)
    throw new Error(`${url}: ${failures} of ${result.requests.total} requests failed: ${JSON.stringify(result.statusCodeStats)}`);
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? Number.NaN;
  return {
    perSecond: (latencies.length * 1000) / (last - countedFrom),
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    failures,
  };
}

function requestsOf({ method = "GET", headers, body, paths }: Load): autocannon.Request[] {
  if (typeof paths !== "function") return paths.map((path) => ({ method, path, headers, body }));
  return [{ method, headers, setupRequest: (request) => ({ ...request, method, body, headers: { ...headers }, ...paths() }) }];
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The median of each figure over the rounds. */
export function middle(rounds: readonly Measured[]): Measured {
  const of = (key: keyof Measured) => median(rounds.map((one) => one[key]));
  return { perSecond: of("perSecond"), p50: of("p50"), p95: of("p95"), p99: of("p99"), failures: 0 };
}
