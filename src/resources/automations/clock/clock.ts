// What a trigger that the clock starts says of itself.
import type { Ctx } from "../../../core/context.ts";

export type Config = Record<string, any>;

/** A record that is due, and what for: a record starts once for an occasion. */
export interface DueRecord {
  object_id: string;
  occasion: string;
}

export interface Clock {
  /** The first time after a moment at which something may be due. Null if there is none. */
  next(ctx: Ctx, config: Config, zone: string, after: Date): Date | null;
  /** The time to look at: the last one in a span of time. Null if none is in it. */
  latest(config: Config, zone: string, after: Date, until: Date): Date | null;
  /** The kind of record that is due. Null where it is about none. */
  objectType(config: Config): string | null;
  /** The records that have become due in a span of time. */
  due(ctx: Ctx, config: Config, zone: string, after: Date, until: Date): Promise<DueRecord[]>;
}
