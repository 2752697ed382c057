// Lets callers through one after the other, a limited number per second for each name, so that a server with many mailboxes is
// not flooded.

/** Waits until it is the caller's turn. */
export type Pace = (name: string) => Promise<void>;

/** After a pause, a quarter of a second's worth of callers goes at once. */
export function openPace(perSecond: number): Pace {
  const gapMs = 1000 / perSecond;
  const burstMs = 250;
  /** For each name, when the next one would go if all had kept their distance. */
  const next = new Map<string, number>();
  return async (name) => {
    const now = performance.now();
    for (const [other, at] of next) if (at < now - burstMs) next.delete(other);
    const at = Math.max(next.get(name) ?? 0, now - burstMs);
    next.set(name, at + gapMs);
    if (at > now) await new Promise((resolve) => setTimeout(resolve, at - now));
  };
}
