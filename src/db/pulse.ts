// Checks whether the database still answers. A server that shuts down closes its connections. A server that was stopped, or is
// cut off from the network, says nothing and leaves them open. So while work is under way, the database is asked for a sign of
// life on a connection of its own. Slow work may go on as long as the answer comes.
import pg from "pg";
import { unavailable } from "../core/errors.ts";
import type { Rows, Statement } from "./database.ts";
import { disconnect, run } from "./wire.ts";

/** How often to check, and how many checks in a row may fail. Checks are counted, not time: this process may have paused itself. */
const everyMs = 250;
const missedMost = 4;
/** After so many unanswered checks the connection itself may be dead. */
const reconnectAfter = 20;

export class Pulse {
  /** The database does not answer: all work is refused at once. */
  isSilent = false;
  private readonly config: pg.ClientConfig;
  private readonly isBusy: () => boolean;
  private readonly onSilence: () => void;
  private readonly timer = setInterval(() => this.look(), everyMs).unref();
  private client: Promise<pg.Client> | null = null;
  private isAsked = false;
  private missed = 0;

  /** Checks only while `isBusy` is true. `onSilence` ends the work that is under way. */
  constructor(config: pg.ClientConfig, isBusy: () => boolean, onSilence: () => void) {
    this.config = config;
    this.isBusy = isBusy;
    this.onSilence = onSilence;
  }

  /** Runs a statement of the service itself. It waits for no other connection. */
  async ask(statement: Statement): Promise<Rows> {
    this.client ??= this.connect();
    return run(await this.client, statement);
  }

  /** Cancels the statement that runs on another connection. */
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
      // A connection that is refused is no silence: each statement gets that error itself.
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
    // A connection that fails late must not remove the next one, which may be there already.
    const forget = () => {
      if (this.client === connected) this.client = null;
    };
    client.on("error", forget);
    client.on("end", forget);
    return connected;
  }
}
