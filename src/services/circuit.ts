// Stops asking a service that fails again and again, so that much waiting work does not ask it a thousand times for nothing. After a
// pause one request tries it, and the others wait for what becomes of that. Each process counts for itself.

export interface Circuit {
  /** Null if the service may be asked now. Otherwise when it may be tried again. */
  waitsUntil(name: string, now: Date): Date | null;
  /** It answered. */
  worked(name: string): void;
  /** It did not. When it says how long it wants to be left alone, that is kept at once. */
  failed(name: string, now: Date, seconds?: number): void;
}

interface State {
  failures: number;
  until: number;
}

/** So many failures in a row open it. */
const failuresMost = 5;
const [pauseMs, pauseMostMs] = [30_000, 15 * 60_000];
/** So long, one request may take that tries the service. */
const trialMs = 30_000;

export function openCircuit(): Circuit {
  const states = new Map<string, State>();
  return {
    waitsUntil(name, now) {
      const state = states.get(name);
      if (state === undefined || state.until === 0) return null;
      if (state.until > now.getTime()) return new Date(state.until);
      state.until = now.getTime() + trialMs;
      return null;
    },
    worked: (name) => void states.delete(name),
    failed(name, now, seconds = 0) {
      const failures = (states.get(name)?.failures ?? 0) + 1;
      const more = failures - failuresMost;
      const pause = more < 0 ? 0 : Math.min(pauseMostMs, pauseMs * 2 ** more);
      const ms = Math.max(pause, seconds * 1000);
      states.set(name, { failures, until: ms === 0 ? 0 : now.getTime() + ms });
    },
  };
}
