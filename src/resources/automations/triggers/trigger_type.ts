// A kind of trigger: one declaration with what its config takes and which events start a run. To make a further one available: say
// what it listens to, and add an example to the tests.
import type { Ctx } from "../../../core/context.ts";
import { need, oneOf, type TypeDefinition } from "../catalog.ts";
import type { Clock } from "../clock/clock.ts";
import type { Occurrence } from "../occurrence.ts";

/** A trigger that this release carries out `listens` to events, or somebody starts it. */
export interface TriggerType extends TypeDefinition {
  /** The names of the events it looks at. */
  listens?(config: Config): string[];
  /** Whether one of these events is meant. By default every one is. */
  matches?(config: Config, event: Occurrence): boolean;
  /** It starts only where its condition did not hold before the event. */
  onlyEdge?: true;
  /** What a run is about, where that is not the record of the event: a contact on a list, and not the list. None if nothing is meant. */
  about?(ctx: Ctx, config: Config, event: Occurrence): Promise<Occurrence[]> | Occurrence[];
  /** Why this release does not carry out a config; null if it does. */
  lacks?(config: Config): string | null;
  /** The clock starts it. */
  clock?: Clock;
  byHand?: true;
  /**
   * What a record that is there already must meet, besides its condition and the filter, to be one that it would have started for. Null
   * if that cannot be told of the record as it is now.
   */
  existing?(config: Config): object | null;
  /** Other services start it, by calls to its own address. */
  calledByHook?: true;
}

export type Config = Record<string, any>;

export const startsRuns = ({ listens, clock, byHand, calledByHook }: TriggerType): boolean =>
  listens !== undefined || clock !== undefined || byHand === true || calledByHook === true;

/** The config of triggers that are about one of some events. */
export const events = (...names: [string, ...string[]]) => ({ event: need(oneOf(...names)) });
