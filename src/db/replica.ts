// A replica of the database, for large reads that may be a little old: reports. It is asked only while its lag is known and
// small. Else, and when it fails, the database itself is asked.
import type pg from "pg";
import type { Asker, Rows } from "./database.ts";
import { Pulse } from "./pulse.ts";
import { Share, type ShareSize } from "./share.ts";
import { isLost } from "./wire.ts";

/** How often its position is compared with the database. */
const everyMs = 1000;

/** The rows of a replica, and the moment that they show. */
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
  /** The replica has everything that was committed until then. */
  private asOf = Number.NEGATIVE_INFINITY;
  private isLooking = false;

  /** `primaryPosition` asks the database for the position of its log. */
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

  /** Null if the database itself has to be asked: the replica is away, or too far behind. */
  async read(asker: Asker | null, work: (client: pg.PoolClient) => Promise<Rows>): Promise<Copied | null> {
    const asOf = new Date(this.asOf);
    // Less than nothing: the clock was set back, and how far behind it is shows when it has caught up with a newer mark.
    const behind = Date.now() - this.asOf;
    if (this.pulse.isSilent || behind < 0 || behind > this.lagMs) return null;
    let hasBegun = false;
    const begin = (client: pg.PoolClient) => {
      hasBegun = true;
      return work(client);
    };
    try {
      return { rows: await this.share.use(asker, begin, (client) => void this.pulse.cancel(client).catch(() => {})), asOf };
    } catch (error) {
      const { code, cause } = error as { code?: string; cause?: unknown };
      // A refusal because of load is passed on. A statement that the replica cancels in order to catch up is asked of the
      // database.
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

/** The position of the database's log. */
export const position = "select pg_current_wal_insert_lsn()";
const replayed = "select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_insert_lsn() end";

/** When the database was where the replica is now. Clocks of two servers are not compared, nor the replica's own estimate of its lag. */
export class Progress {
  private readonly marks: { position: bigint; at: number }[] = [];

  /** The database had reached this position, or a later one, at that moment. */
  wrote(lsn: string, at: number): void {
    this.marks.push({ position: numberOf(lsn), at });
  }

  /** The last moment whose writes the replica shows completely; null if it is unknown. Earlier moments are forgotten. */
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
