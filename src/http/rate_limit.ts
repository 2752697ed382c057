// Rate limits. Each key has a fixed window that begins with its first request; each organization has one that is three times as
// wide. `rate-limiter-flexible` needs a promise and two objects for a request (0.7 µs; here 0.1 µs), throws its refusals, and
// would ask the two windows one after the other.
import type { RateLimit, RateLimits } from "../config.ts";
import type { OpenGroup, RateGroup } from "../core/operation.ts";

/** What one holder has used of one window. The `ratelimit-…` headers are read from it. */
export interface Quota {
  readonly window: Window;
  /** At most one above the limit, which means that the request is refused. */
  used: number;
  readonly resetsAt: number;
}

export const isOver = (quota: Quota): boolean => quota.used > quota.window.limit;

export const remaining = (quota: Quota): number => Math.max(0, quota.window.limit - quota.used);

/** Seconds until the holder may use the whole limit again; never 0, so that who waits for it does not come too early. */
export const resetSeconds = (quota: Quota, now: number): number => Math.max(1, Math.ceil((quota.resetsAt - now) / 1000));

export interface RateLimiter {
  /** Counts a request of a key. Returns the tighter of the key's quota and its organization's, of which the operator may leave a part. */
  take(group: RateGroup, holder: string, organizationId: string, now: number, percent?: number): Quota;
  /** Counts a request without a key: for the network that it comes from, or for what it reaches. */
  takeOpen(group: OpenGroup, holder: string, now: number): Quota;
  /** The same quota, without counting. */
  lookAtOpen(group: OpenGroup, holder: string, now: number): Quota;
  /** Among how many processes the limits are divided. */
  share(processes: number): void;
}

export function createRateLimiter(limits: RateLimits, processes = 1): RateLimiter {
  let sharing = processes;
  const parts = new Map<number, Windows>();
  /** The windows for organizations that have this part of the limits. */
  const part = (percent: number): Windows => {
    let windows = parts.get(percent);
    if (windows === undefined) parts.set(percent, (windows = windowsFor(limits, percent, sharing)));
    return windows;
  };
  const usual = part(100);

  return {
    take(group, holder, organizationId, now, percent) {
      const { keys, organizations } = percent === undefined ? usual : part(percent);
      const own = keys[group].count(holder, now);
      if (isOver(own)) return own;
      const shared = organizations[group].count(organizationId, now);
      return remaining(shared) < remaining(own) || isOver(shared) ? shared : own;
    },
    takeOpen: (group, holder, now) => usual.keys[group].count(holder, now),
    lookAtOpen: (group, holder, now) => usual.keys[group].quotaOf(holder, now),
    share(processes) {
      sharing = processes;
      for (const { keys, organizations } of parts.values())
        for (const window of [...Object.values(keys), ...Object.values(organizations)]) window.share(processes);
    },
  };
}

type Windows = Record<"keys" | "organizations", Record<keyof RateLimits, Window>>;

function windowsFor(limits: RateLimits, percent: number, processes: number): Windows {
  const each = (wide: number, suffix: string) =>
    Object.fromEntries(
      Object.entries(limits).map(([group, { limit, seconds }]) => {
        const left = { limit: Math.ceil((limit * percent) / 100), seconds };
        return [group, new Window(group + suffix, left, wide, processes)];
      }),
    ) as Record<keyof RateLimits, Window>;
  return { keys: each(1, ""), organizations: each(3, "_organization") };
}

// A window remembers at most twice this many holders; any others share one quota. 20,000 take about 3 MB.
const holdersMax = 20_000;

/** The counters of one group. They are kept in two generations, so that old ones are dropped without a search. */
export class Window {
  /** The part of this process. */
  limit = 0;
  /** `"read";q=200;w=10`: the group, its limit and the width in seconds. */
  policy = "";
  private readonly name: string;
  private readonly whole: number;
  private readonly widthMs: number;
  private fresh = new Map<string, Quota>();
  private old = new Map<string, Quota>();
  private turnsAt = 0;

  constructor(name: string, { limit, seconds }: RateLimit, wide: number, processes: number) {
    this.name = name;
    this.whole = limit * wide;
    this.widthMs = seconds * 1000;
    this.share(processes);
  }

  share(processes: number): void {
    this.limit = Math.ceil(this.whole / processes);
    this.policy = `"${this.name}";q=${this.limit};w=${this.widthMs / 1000}`;
  }

  count(holder: string, now: number): Quota {
    const quota = this.quotaOf(holder, now);
    if (quota.used <= this.limit) quota.used++;
    return quota;
  }

  quotaOf(holder: string, now: number): Quota {
    if (now >= this.turnsAt) this.turn(now);
    const known = this.fresh.get(holder) ?? this.old.get(holder);
    if (known !== undefined && known.resetsAt > now) return known;
    if (this.fresh.size >= holdersMax && holder !== "") return this.quotaOf("", now);

    const quota = { window: this, used: 0, resetsAt: now + this.widthMs };
    this.fresh.set(holder, quota);
    return quota;
  }

  // Windows that began before the last turn have ended by the next one.
  private turn(now: number): void {
    this.old = now >= this.turnsAt + this.widthMs ? new Map() : this.fresh;
    this.fresh = new Map();
    this.turnsAt = now + this.widthMs;
  }
}
