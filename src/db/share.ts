// Connections that one user at a time holds. A request that has already begun goes before one that has not, because unfinished
// work helps nobody. A request that does not get a connection in time is refused.
import pg from "pg";
import { unavailable } from "../core/errors.ts";
import type { Asker, Statement } from "./database.ts";
import { opened } from "./opened.ts";
import { disconnect, isLost, run } from "./wire.ts";

export interface ShareSize {
  connections: number;
  /** How many of these may do work that takes long. */
  heavy: number;
}

/** Open connections, idle ones, and the work that waits for one. For the metrics. */
export interface Usage {
  total: number;
  idle: number;
  waiting: number;
}

interface Waiting {
  asker: Asker | null;
  begin(): void;
  giveUp(): void;
}

/** How many may wait to begin. */
const waitingMost = 200;

export class Share {
  private readonly pool: pg.Pool;
  private readonly size: ShareSize;
  private readonly open = new Set<pg.PoolClient>();
  private readonly queue = new Set<Waiting>();
  private readonly isAlive: () => boolean;
  private held = 0;
  private heavy = 0;

  /** `first` runs on each new connection before anything else. `isAlive` says whether the database answers. */
  constructor(
    config: pg.PoolConfig,
    size: ShareSize,
    onError: (error: Error) => void,
    { first = null, isAlive = () => false }: { first?: Statement | null; isAlive?: () => boolean } = {},
  ) {
    this.size = size;
    this.isAlive = isAlive;
    this.pool = new pg.Pool({ ...config, idleTimeoutMillis: 60_000, maxLifetimeSeconds: 1800, max: size.connections });
    this.pool.on("error", onError);
    this.pool.on("connect", (client) => {
      this.open.add(client.on("error", onError));
      if (first !== null) run(client, first).catch(onError);
    });
    this.pool.on("remove", (client) => this.open.delete(client));
  }

  get isBusy(): boolean {
    return this.held > 0;
  }

  usage(): Usage {
    return { total: this.pool.totalCount, idle: this.pool.idleCount, waiting: this.queue.size };
  }

  /** Does work on a connection. When its asker leaves, calls `cancel` with the connection, which is not used again. */
  async use<T>(
    asker: Asker | null,
    work: (client: pg.PoolClient) => Promise<T>,
    cancel: ((client: pg.PoolClient) => void) | null = null,
  ): Promise<T> {
    const isHeavy = asker?.isHeavy === true;
    if (asker?.hasLeft) throw unavailable();
    if (this.hasRoom(isHeavy)) this.take(asker);
    else await this.turn(asker);
    try {
      return await this.onConnection(work, asker, cancel);
    } finally {
      this.held--;
      if (isHeavy) this.heavy--;
      this.callNext();
    }
  }

  /** Breaks every connection and refuses all that wait: work under way fails as if the database had gone. */
  breakAll(): void {
    for (const client of this.open) disconnect(client);
    for (const one of this.queue) one.giveUp();
  }

  close(): Promise<void> {
    return this.pool.end();
  }

  private hasRoom(isHeavy: boolean): boolean {
    return this.held < this.size.connections && !(isHeavy && this.heavy >= this.size.heavy);
  }

  private take(asker: Asker | null): void {
    this.held++;
    if (asker === null) return;
    asker.hasBegun = true;
    if (asker.isHeavy) this.heavy++;
  }

  private turn(asker: Asker | null): Promise<void> {
    if (this.queue.size >= waitingMost && !(asker === null || asker.hasBegun)) return Promise.reject(unavailable());
    return new Promise((resolve, reject) => {
      const isPatient = asker === null || asker.hasBegun;
      const late = isPatient ? null : setTimeout(() => asker.hasBegun || one.giveUp(), asker.patienceMs);
      const stay = asker?.onLeave(() => one.giveUp());
      const end = () => {
        if (late !== null) clearTimeout(late);
        stay?.();
        this.queue.delete(one);
      };
      const one: Waiting = {
        asker,
        begin: () => {
          end();
          this.take(asker);
          resolve();
        },
        giveUp: () => {
          end();
          reject(unavailable());
        },
      };
      this.queue.add(one);
    });
  }

  private callNext(): void {
    if (this.queue.size === 0) return;
    let next: Waiting | null = null;
    for (const one of this.queue) {
      if (!this.hasRoom(one.asker?.isHeavy === true)) continue;
      if (one.asker === null || one.asker.hasBegun) return one.begin();
      next ??= one;
    }
    next?.begin();
  }

  private async onConnection<T>(
    work: (client: pg.PoolClient) => Promise<T>,
    asker: Asker | null,
    cancel: ((client: pg.PoolClient) => void) | null,
  ): Promise<T> {
    const client = await opened(
      () => this.pool.connect(),
      () => this.isAlive() && asker?.hasLeft !== true,
    ).catch((cause) => Promise.reject(Object.assign(unavailable(), { cause })));
    if (asker?.hasLeft) {
      client.release();
      throw unavailable();
    }
    let isUsable = true;
    let cancelling: NodeJS.Timeout | null = null;
    const stay = cancel && asker?.onLeave(() => (cancelling = again(() => cancel(client))));
    try {
      return await work(client);
    } catch (error) {
      isUsable = !isLost(error);
      throw error;
    } finally {
      stay?.();
      if (cancelling !== null) clearInterval(cancelling);
      // A cancellation may still be on its way, and must not hit the connection's next user.
      client.release(!isUsable || cancelling !== null);
    }
  }
}

/** Calls at once and then repeatedly, because a cancellation that arrives before the statement has begun has no effect. */
function again(act: () => void): NodeJS.Timeout {
  act();
  return setInterval(act, 200);
}
