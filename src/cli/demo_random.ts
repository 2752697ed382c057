// Chance that is the same every time: a demo is repeatable, not secret.

export interface Chance {
  /** A whole number between both, which are included. */
  whole(min: number, max: number): number;
  pick<T>(list: readonly T[]): T;
  /** True so often, from 0 to 1. */
  happens(often: number): boolean;
}

/** The numbers of a seed (mulberry32). What has a seed of its own is the same whatever else is made, in whatever order. */
export function chanceFrom(seed: number): Chance {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return { whole, pick: (list) => list[whole(0, list.length - 1)]!, happens: (often) => next() < often };
}
