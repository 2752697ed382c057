// Checks whether the database still answers. A server that was closed says so. A server that was stopped, or whose cable was
// pulled, says nothing and leaves its connections open. So while work is under way, it is asked for a sign of life on a
// connection of its own. Slow work may go on as long as the answer comes.
import pg from "pg";
import { unavailable } from "../core/errors.ts";
import type { Rows, Statement } from "./database.ts";
import { disconnect, run } from "./wire.ts";

/** How often to look, and how many looks in a row may find no answer. Looks and not time: a pause of our own is none of the database. */
const everyMs = 250;
const missedMost = 4;
/** After so many the connection itself may be what is dead. */
const reconnectAfter = 20;

export class Pulse {
  /** The database does not answer: whoever asks is refused at once. */
  isSilent = false;
  private readonly config: pg.ClientConfig;
  private readonly isBusy: () => boolean;
  private readonly onSilence: () => void;
  private readonly timer = setInterval(() => this.look(), everyMs).unref();
  private client: Promise<pg.Client> | null = null;
  private isAsked = false;
  private missed = 0;

  /** Asks only while something `isBusy`; `onSilence` ends what is under way. */
  constructor(config: pg.ClientConfig, isBusy: () => boolean, onSilence: () => void) {
    this.config = config;
    this.isBusy = isBusy;
    this.onSilence = onSilence;
  }

  /** Runs a statement of the service itself, such as a sign of life; others do not wait for a connection in front of it. */
  async ask(statement: Statement): Promise<Rows> {
    this.client ??= this.connect();
    return run(await this.client, statement);
  }

  /** Ends what runs on another connection. */
  cancel(client: pg.ClientBase): Promise<Rows> {
    const { processID } = client as unknown as { processID: number };
    return this.ask({ text: "select pg_cancel_backend($1)", values: [processID] });
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    const client = await this.client?.catch(() => null);
    await client?.end();
  }

  private look(): void {
    if (!this.isAsked) {
      if (this.isBusy() || this.isSilent) void this.listen();
    } else if (++this.missed >= missedMost) {
      if (!this.isSilent) this.fallSilent();
      if (this.missed % reconnectAfter === 0) this.client?.then(disconnect, () => {});
    }
  }

  private fallSilent(): void {
    this.isSilent = true;
    this.onSilence();
  }

  /** Never rejects. */
  private async listen(): Promise<void> {
    this.isAsked = true;
    try {
      await this.ask({ text: "select 1", values: [] });
      this.isSilent = false;
    } catch {
      // Refused at once is not silence: each connection is told so itself.
      if (this.missed < missedMost) this.isSilent = false;
    }
    this.isAsked = false;
    this.missed = 0;
  }

  private connect(): Promise<pg.Client> {
    const client = new pg.Client(this.config);
    const connected: Promise<pg.Client> = client.connect().then(
      () => client,
      () => {
        forget();
        client.end().catch(() => {});
        throw unavailable();
      },
    );
    // One that fails late leaves the place to the next, which may be there already.
    const forget = () => {
      if (this.client === connected) this.client = null;
    };
    client.on("error", forget);
    client.on("end", forget);
    return connected;
  }
}
