// Connections that many reads share.
import pg from "pg";
import { unavailable } from "../core/errors.ts";
import type { Asker, Rows, Statement } from "./database.ts";
import type { Usage } from "./share.ts";
import { disconnect, run, sendTogether } from "./wire.ts";

// Each write to a connection wakes PostgreSQL; so what is asked in one turn of the event loop shares a write. Four at most: they are
// answered one after the other, and a list takes longer than a record.
const togetherMost = 4;

interface Slot {
  client: Promise<pg.Client> | null;
  ready: pg.Client | null;
  pending: number;
  /** What else is asked in this turn of the event loop joins what waits to be sent. */
  gathers: boolean;
}

/**
 * A few long-lived connections on which reads are pipelined: the answers come back in the order of the questions, and the next question
 * is there before an answer has left. At most `depth` at once on each; others wait for whichever is free first.
 */
export class SharedReads {
  private readonly slots: readonly Slot[];
  private readonly depth: number;
  private readonly config: pg.ClientConfig;
  private readonly onError: (error: Error) => void;
  private breaks = 0;
  private readonly queue: ((slot: Slot) => void)[] = [];

  constructor(config: pg.ClientConfig, { count, depth }: { count: number; depth: number }, onError: (error: Error) => void) {
    this.config = config;
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
      // What is sent already cannot be taken back: others wait behind it.
      if (asker?.hasLeft || breaks !== this.breaks) throw unavailable();
      return await this.ask(slot, slot.ready ?? (await this.connect(slot)), statement);
    } finally {
      // Its place goes to who has waited longest.
      const next = this.queue.shift();
      if (next === undefined) slot.pending--;
      else next(slot);
    }
  }

  // Each write wakes PostgreSQL, often on the core that we still have something to do on: together, searches are a tenth faster.
  private ask(slot: Slot, client: pg.Client, statement: Statement): Promise<Rows> {
    if (!slot.gathers) {
      slot.gathers = true;
      sendTogether(client, () => {
        slot.gathers = false;
      });
    }
    return run(client, statement);
  }

  /** What is asked in one turn goes out together, a few at a time; the rest goes to whichever has least to do. */
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
      // One that failed to connect ends later: by then another may have its place, and would never be closed.
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
      () => {
        forget();
        client.end().catch(() => {});
        throw unavailable();
      },
    );
    slot.client = connecting;
    return connecting;
  }

  /** Breaks every connection: what was asked, or waits to be, fails as if the database had gone. */
  breakAll(): void {
    this.breaks++;
    for (const { ready } of this.slots) if (ready !== null) disconnect(ready);
  }

  async close(): Promise<void> {
    await Promise.all(this.slots.map(async (slot) => (await slot.client?.catch(() => null))?.end()));
  }
}
