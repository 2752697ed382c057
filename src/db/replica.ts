// A copy of the database that follows it, for what reads much and need not be of this very moment: reports. It is asked only while it is
// known how far behind it is, and that this is little; else, and when it fails, the database itself is asked.
import type pg from "pg";
import type { Asker, Rows } from "./database.ts";
import { Pulse } from "./pulse.ts";
import { Share, type ShareSize } from "./share.ts";
import { isLost } from "./wire.ts";

/** How often it is compared with the database. */
const everyMs = 1000;

/** What a copy shows, as of a moment that is over. */
export interface Copied {
  rows: Rows;
  asOf: Date;
}

export class Replica {
  private readonly share: Share;
  private readonly pulse: Pulse;
  private readonly progress = new Progress();
  private readonly lagMs: number;
  private readonly timer: NodeJS.Timeout;
  /** All that was committed until then is there. */
  private asOf = Number.NEGATIVE_INFINITY;
  private isLooking = false;

  /** `primaryPosition` asks the database itself how far its log has come. */
  constructor(
    config: pg.PoolConfig,
    size: ShareSize,
    lagMs: number,
    primaryPosition: () => Promise<Rows>,
    onError: (error: Error) => void,
  ) {
    this.share = new Share(config, size, onError);
    this.pulse = new Pulse(
      config,
      () => this.share.isBusy,
      () => this.share.breakAll(),
    );
    this.lagMs = lagMs;
    const look = () => this.look(primaryPosition).catch(onError);
    this.timer = setInterval(look, everyMs).unref();
    void look();
  }

  /** Null where the database itself has to be asked: the copy is away, or too far behind. */
  async read(asker: Asker | null, work: (client: pg.PoolClient) => Promise<Rows>): Promise<Copied | null> {
    const asOf = new Date(this.asOf);
    if (this.pulse.isSilent || !(Date.now() - this.asOf <= this.lagMs)) return null;
    let hasBegun = false;
    const begin = (client: pg.PoolClient) => {
      hasBegun = true;
      return work(client);
    };
    try {
      return { rows: await this.share.use(asker, begin, (client) => void this.pulse.cancel(client).catch(() => {})), asOf };
    } catch (error) {
      const { code, cause } = error as { code?: string; cause?: unknown };
      // Who is refused because too many ask is refused. What the copy drops because it has to catch up can be had where it was written.
      const isAway = (hasBegun || cause !== undefined) && isLost(error);
      if (!isAway && code !== "40001") throw error;
      return null;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all([this.pulse.close(), this.share.close()]);
  }

  private async look(primaryPosition: () => Promise<Rows>): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      const at = Date.now();
      const [there] = await primaryPosition();
      this.progress.wrote(there![0]!, at);
      const [here] = await this.pulse.ask({ text: replayed, values: [] });
      this.asOf = this.progress.shows(here![0]!) ?? this.asOf;
    } finally {
      this.isLooking = false;
    }
  }
}

/** How far the log of the database has come. */
export const position = "select pg_current_wal_insert_lsn()";
const replayed = "select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_insert_lsn() end";

/** When the log of the database stood where the copy has got to. Clocks of two servers are not compared, nor is what a copy believes that has lost touch. */
export class Progress {
  private readonly marks: { position: bigint; at: number }[] = [];

  /** The database had written so far at that moment, or farther. */
  wrote(lsn: string, at: number): void {
    this.marks.push({ position: numberOf(lsn), at });
  }

  /** The last moment whose writes the copy shows all; null where it is none that is known. Earlier ones are forgotten. */
  shows(lsn: string): number | null {
    const here = numberOf(lsn);
    const last = this.marks.findLastIndex(({ position }) => position <= here);
    if (last < 0) return null;
    const { at } = this.marks[last]!;
    this.marks.splice(0, last);
    return at;
  }
}

/** `16/B374D848`: two halves of 32 bits each. */
function numberOf(lsn: string): bigint {
  const [high, low] = lsn.split("/").map((half) => BigInt(`0x${half}`));
  return (high! << 32n) | low!;
}
