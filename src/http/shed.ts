// Admission control: how much work is done at once, and what happens to the rest. A quick 503 for some is better than a slow
// answer for all.
import { availableParallelism } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Operation, RateGroup } from "../core/operation.ts";

export interface GateLimits {
  /** Requests at work at once. */
  running: number;
  /** Of these, what may take long, so that it leaves room for the rest. */
  heavy: number;
  waiting: number;
  /** Answers that go on for minutes, such as streams: they have left the gate, and each costs memory and a connection. */
  live: number;
  /** How long a request may wait for its turn here, and once more for a connection if it needs one of the few. */
  budgetMs: number;
  /** How long it may work before it is answered 503; outside calls of the group `ai`, and files on their way to the storage, take longer. */
  deadlineSeconds: number;
  aiDeadlineSeconds: number;
  /** Mean delay of the event loop, two seconds in a row, above which newcomers are sent away. */
  loopDelayMs: number;
}

// A long queue with a short budget: callers who come back at once after a 503 cost more than those who wait.
export const defaultGateLimits: GateLimits = {
  running: 200,
  heavy: Math.max(16, 4 * availableParallelism()),
  waiting: 1000,
  live: 2000,
  budgetMs: 350,
  deadlineSeconds: 15,
  aiDeadlineSeconds: 120,
  loopDelayMs: 200,
};

const heavyGroups: ReadonlySet<RateGroup> = new Set<RateGroup>(["search", "report", "bulk", "ai"]);
const heavyParams = ["query", "_count", "_group_by"];

/** Whether a request may take long: by its rate group, or as a list by its parameters. */
export const isHeavy = ({ group }: Operation, query: Readonly<Record<string, string>>): boolean =>
  heavyGroups.has(group) || heavyParams.some((name) => query[name] !== undefined) || Number(query._skip) > 1000;

/** A request as the gate sees it. */
interface Passing {
  readonly operation: Operation | null;
  readonly reply: { raw: { destroyed: boolean } };
  readonly isHeavy: boolean;
  place: "outside" | "light" | "heavy" | "aside";
  enteredAt: number;
  /** Among those at work. */
  index: number;
}

interface Waiting<E> {
  exchange: E;
  timer: NodeJS.Timeout;
  turn(admitted: boolean): void;
}

export class Gate<E extends Passing = Passing> {
  readonly limits: GateLimits;
  /** The event loop is slow: new requests are refused before anything is done for them. */
  overloaded = false;
  draining = false;
  // An array and not a Set: the tables that a growing Set has left are linked, so once one of them is old, collections of the
  // young generation keep every request there ever was (3 KB each, until the next full collection).
  private readonly running: E[] = [];
  private readonly waiting = { light: new Set<Waiting<E>>(), heavy: new Set<Waiting<E>>() };
  private heavy = 0;
  private aside = 0;
  private seconds = 0;
  private lagged = false;
  private readonly loop = monitorEventLoopDelay({ resolution: 20 });
  private readonly timer: NodeJS.Timeout;

  /** `late` answers an exchange whose time is up. What its operation answers afterwards is dropped. */
  constructor(limits: GateLimits, late: (exchange: E) => void) {
    this.limits = limits;
    this.loop.enable();
    this.timer = setInterval(() => this.look(late), 1000).unref();
  }

  /** True if the exchange may go ahead. Otherwise a promise: true in its turn, false if its turn did not come in time. */
  enter(exchange: E): true | Promise<boolean> {
    const kind = exchange.isHeavy ? "heavy" : "light";
    if (this.hasRoom(kind)) return this.admit(exchange, kind);
    const queue = this.waiting[kind];
    if (queue.size >= this.limits.waiting) return Promise.resolve(false);

    return new Promise((turn) => {
      const one: Waiting<E> = { exchange, turn, timer: setTimeout(giveUp, this.limits.budgetMs) };
      queue.add(one);
      function giveUp() {
        queue.delete(one);
        turn(false);
      }
    });
  }

  /** Frees a place for the next exchange. Does nothing for one that is not inside. */
  leave(exchange: E): void {
    if (exchange.place === "outside") return;
    if (exchange.place === "heavy") this.heavy--;
    if (exchange.place === "aside") this.aside--;
    exchange.place = "outside";
    const last = this.running.pop()!;
    if (last !== exchange) this.put(last, exchange.index);
    this.callAll();
  }

  /** Gives up the place of an exchange that waits for a connection, for others that may need none. */
  stepAside(exchange: E): void {
    if (exchange.place !== "light") return;
    exchange.place = "aside";
    this.aside++;
    this.callAll();
  }

  /** Gives up the place, a heavy one too, of an exchange that waits for another service and needs nothing here meanwhile. */
  stepOut(exchange: E): void {
    if (exchange.place === "heavy") {
      this.heavy--;
      exchange.place = "light";
    }
    this.stepAside(exchange);
  }

  private callAll(): void {
    if (this.waiting.light.size > 0) this.call("light");
    if (this.waiting.heavy.size > 0) this.call("heavy");
  }

  get counts(): { running: number; waiting: number } {
    return { running: this.running.length, waiting: this.waiting.light.size + this.waiting.heavy.size };
  }

  stop(): void {
    clearInterval(this.timer);
    this.loop.disable();
  }

  private hasRoom(kind: "light" | "heavy"): boolean {
    return this.running.length - this.aside < this.limits.running && (kind === "light" || this.heavy < this.limits.heavy);
  }

  private admit(exchange: E, kind: "light" | "heavy"): true {
    this.put(exchange, this.running.length);
    if (kind === "heavy") this.heavy++;
    exchange.place = kind;
    exchange.enteredAt = this.seconds;
    return true;
  }

  private put(exchange: E, index: number): void {
    this.running[index] = exchange;
    exchange.index = index;
  }

  private call(kind: "light" | "heavy"): void {
    const queue = this.waiting[kind];
    for (const next of queue) {
      if (!this.hasRoom(kind)) return;
      queue.delete(next);
      clearTimeout(next.timer);
      // The client has gone.
      if (next.exchange.reply.raw.destroyed) next.turn(false);
      else next.turn(this.admit(next.exchange, kind));
    }
  }

  private look(late: (exchange: E) => void): void {
    this.seconds++;
    // One slow second may be a garbage collection or another process; two in a row are too much work.
    const lags = this.loop.count > 0 && this.loop.mean / 1e6 > this.limits.loopDelayMs;
    this.overloaded = lags && this.lagged;
    this.lagged = lags;
    this.loop.reset();
    // An exchange that is answered leaves, and another takes its index, so this reads a copy.
    for (const exchange of this.running.slice()) {
      const { aiDeadlineSeconds, deadlineSeconds } = this.limits;
      const { group, upload } = exchange.operation ?? {};
      const deadline = group === "ai" || upload ? aiDeadlineSeconds : deadlineSeconds;
      if (this.seconds - exchange.enteredAt > deadline) late(exchange);
    }
  }
}
