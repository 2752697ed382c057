// Connections that many reads share.
import pg from "pg";
import { unavailable } from "../core/errors.ts";
import type { Asker, Rows, Statement } from "./database.ts";
import { opened } from "./opened.ts";
import type { Usage } from "./share.ts";
import { disconnect, run, sendTogether } from "./wire.ts";

// At most four reads share a packet: they are answered in their order, and a list takes longer than a record.
const togetherMost = 4;

interface Slot {
  client: Promise<pg.Client> | null;
  ready: pg.Client | null;
  pending: number;
  /** Reads of one turn of the event loop are sent together. */
  gathers: boolean;
}

/**
 * A few long-lived connections on which reads are pipelined: answers come back in the order of the questions, and the next
 * question is there before an answer has left. Each connection has at most `depth` at once; others wait for the first that is
 * free.
 */
export class SharedReads {
  private readonly slots: readonly Slot[];
  private readonly depth: number;
  private readonly config: pg.ClientConfig;
  private readonly onError: (error: Error) => void;
  private readonly isAlive: () => boolean;
  private breaks = 0;
  private readonly queue: ((slot: Slot) => void)[] = [];

  /** `isAlive` says whether the database answers. */
  constructor(
    config: pg.ClientConfig,
    { count, depth }: { count: number; depth: number },
    onError: (error: Error) => void,
    isAlive: () => boolean,
  ) {
    this.config = config;
    this.isAlive = isAlive;
    this.depth = depth;
    this.onError = onError;
    this.slots = Array.from({ length: count }, () => ({ client: null, ready: null, pending: 0, gathers: false }));
  }

  usage(): Usage {
    const open = this.slots.filter((slot) => slot.ready !== null);
    return { total: open.length, idle: open.filter((slot) => slot.pending === 0).length, waiting: this.queue.length };
  }

  get isBusy(): boolean {
    return this.slots.some(({ pending }) => pending > 0);
  }

  async read(statement: Statement, asker: Asker | null = null): Promise<Rows> {
    let slot = this.slotFor();
    const { breaks } = this;
    if (slot.pending < this.depth) slot.pending++;
    else slot = await new Promise<Slot>((resolve) => this.queue.push(resolve));
    try {
      // A statement that was sent cannot be taken back, because others wait behind it.
      if (asker?.hasLeft || breaks !== this.breaks) throw unavailable();
      return await this.ask(slot, slot.ready ?? (await opened(() => this.connect(slot), this.isAlive)), statement);
    } finally {
      // Its place goes to the one that has waited longest.
      const next = this.queue.shift();
      if (next === undefined) slot.pending--;
      else next(slot);
    }
  }

  // Each write to a socket wakes PostgreSQL, often on the core that this process still needs. With all reads of one turn of the
  // event loop in one write, searches are a tenth faster.
  private ask(slot: Slot, client: pg.Client, statement: Statement): Promise<Rows> {
    if (!slot.gathers) {
      slot.gathers = true;
      sendTogether(client, () => {
        slot.gathers = false;
      });
    }
    return run(client, statement);
  }

  /** Reads of one turn go out together, a few at a time; the rest go to the connection with the least to do. */
  private slotFor(): Slot {
    const most = Math.min(this.depth, togetherMost);
    const gathering = this.slots.find(({ gathers, pending }) => gathers && pending < most);
    if (gathering !== undefined) return gathering;
    let slot = this.slots[0]!;
    for (const other of this.slots) if (other.pending < slot.pending) slot = other;
    return slot;
  }

  private connect(slot: Slot): Promise<pg.Client> {
    if (slot.client !== null) return slot.client;
    const client = new pg.Client(this.config);
    const forget = () => {
      // A connection that failed to open ends later. Another may have its place by then, and would never be closed.
      if (slot.client !== connecting) return;
      slot.client = null;
      slot.ready = null;
    };
    client.on("error", (error) => {
      forget();
      this.onError(error);
    });
    client.on("end", forget);
    const connecting = client.connect().then(
      () => {
        slot.ready = client;
        return client;
      },
      (cause) => {
        forget();
        client.end().catch(() => {});
        throw Object.assign(unavailable(), { cause });
      },
    );
    slot.client = connecting;
    return connecting;
  }

  /** Breaks every connection: all reads, sent or waiting, fail as if the database had gone. */
  breakAll(): void {
    this.breaks++;
    for (const { ready } of this.slots) if (ready !== null) disconnect(ready);
  }

  async close(): Promise<void> {
    await Promise.all(this.slots.map(async (slot) => (await slot.client?.catch(() => null))?.end()));
  }
}
