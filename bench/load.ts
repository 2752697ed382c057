// Measures one server: so many connections for so long, and how many answers came back how fast.
import autocannon from "autocannon";

export interface Load {
  url: string;
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
  /** Paths asked for in turn. */
  paths: readonly string[];
  connections: number;
  /** How long is counted, after so long that is not: whoever stood idle is compiled anew by V8, and has cold caches. */
  seconds: number;
  leadInSeconds: number;
}

export interface Measured {
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p95: number;
  p99: number;
  failures: number;
}

/** Runs a load and fails when an answer was not a success: a refusal is fast, and measures nothing. */
export async function measure(load: Load): Promise<Measured> {
  const { url, method = "GET", headers, body, paths, connections, seconds, leadInSeconds } = load;
  const latencies: number[] = [];
  // The instance is a promise of its result and tells of every answer besides.
  const run = autocannon({
    url,
    connections,
    duration: leadInSeconds + seconds,
    requests: paths.map((path) => ({ method, path, headers, body })),
  }) as Promise<autocannon.Result> & NodeJS.EventEmitter;
  const countedFrom = performance.now() + leadInSeconds * 1000;
  run.on("response", (_client: unknown, _status: number, _bytes: number, ms: number) => {
    if (performance.now() >= countedFrom) latencies.push(ms);
  });
  const result = await run;
  const failures = result.non2xx + result.errors + result.timeouts;
  if (failures > 0) throw new Error(`${url}${paths[0]}: ${failures} of ${result.requests.total} requests failed`);
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? Number.NaN;
  return {
    perSecond: latencies.length / (result.duration - leadInSeconds),
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    failures,
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Of each figure the median of the rounds. */
export function middle(rounds: readonly Measured[]): Measured {
  const of = (key: keyof Measured) => median(rounds.map((one) => one[key]));
  return { perSecond: of("perSecond"), p50: of("p50"), p95: of("p95"), p99: of("p99"), failures: 0 };
}
