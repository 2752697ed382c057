// Rate limits. Each key has a fixed window that begins with its first request; each organization has one that is three times as
// wide. `rate-limiter-flexible` needs a promise and two objects for a request (0.7 µs; here 0.1 µs), throws its refusals, and
// would ask the two windows one after the other.
import type { RateLimit, RateLimits } from "../config.ts";
import type { RateGroup } from "../core/operation.ts";
import { networkOf } from "../values/network.ts";

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
  /** Counts a request of a key. Returns the tighter of the key's quota and its organization's. */
  take(group: RateGroup, holder: string, organizationId: string, now: number): Quota;
  /** Counts a request without a valid key, by its address. */
  takeStranger(ip: string, now: number): Quota;
  /** Counts a request to something that has an address of its own. */
  takeHolder(holder: string, now: number): Quota;
  /** The quota of an address, without counting. */
  lookAtStranger(ip: string, now: number): Quota;
}

export function createRateLimiter(limits: RateLimits, processes = 1): RateLimiter {
  const each = (wide: number, suffix: string) =>
    Object.fromEntries(
      Object.entries(limits).map(([group, limit]) => [group, new Window(group + suffix, limit, wide, processes)]),
    ) as Record<RateGroup, Window>;
  const keys = each(1, "");
  const holders = new Window("hook", limits.write, 1, processes);
  const organizations = each(3, "_organization");

  return {
    take(group, holder, organizationId, now) {
      const own = keys[group].count(holder, now);
      if (isOver(own)) return own;
      const shared = organizations[group].count(organizationId, now);
      return remaining(shared) < remaining(own) || isOver(shared) ? shared : own;
    },
    takeStranger: (ip, now) => keys.auth.count(networkOf(ip), now),
    takeHolder: (holder, now) => holders.count(holder, now),
    lookAtStranger: (ip, now) => keys.auth.quotaOf(networkOf(ip), now),
  };
}

// A window remembers at most twice this many holders; any others share one quota. 20,000 take about 3 MB.
const holdersMax = 20_000;

/** The counters of one group. They are kept in two generations, so that old ones are dropped without a search. */
export class Window {
  readonly limit: number;
  /** `"read";q=200;w=10`: the group, its limit and the width in seconds. */
  readonly policy: string;
  private readonly widthMs: number;
  private fresh = new Map<string, Quota>();
  private old = new Map<string, Quota>();
  private turnsAt = 0;

  constructor(name: string, { limit, seconds }: RateLimit, wide: number, processes: number) {
    this.limit = Math.ceil((limit * wide) / processes);
    this.policy = `"${name}";q=${this.limit};w=${seconds}`;
    this.widthMs = seconds * 1000;
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
