// Runs the consumers of the log, beside the looks for work. A log may grow as fast as it is read: jobs of other organizations, and
// other consumers, do not wait until it has ended.
import { consumersBehind } from "../auth/unscoped_work.ts";
import type { Core } from "../core/core.ts";
import { asSystem } from "../records/acting.ts";
import { newId } from "../values/id.ts";
import { type Consumer, consumeSome } from "./consumer.ts";

/** How many read at once. Each holds a connection for its transaction, and jobs need some too. */
const atOnceMost = 6;

/** How long a look waits for consumers. Most are done by then, and the jobs that they cause are claimed at once. */
const waitedForMs = 100;

export class LogReading {
  private readonly core: Core;
  private readonly consumers: ReadonlyMap<string, Consumer>;
  private readonly onError: (error: Error) => void;
  /** One for each consumer and organization. */
  private readonly running = new Map<string, Promise<void>>();
  /** When each of those that are behind was started last, as a number that grows. */
  private started = new Map<string, number>();
  private starts = 0;
  private othersWait = false;
  private stopped = false;

  constructor(core: Core, consumers: readonly Consumer[], onError: (error: Error) => void) {
    this.core = core;
    this.consumers = new Map(consumers.map((one) => [one.name, one]));
    this.onError = onError;
  }

  /** Starts the consumers that are behind, and returns whether there are any. */
  async look(): Promise<boolean> {
    const behind = await consumersBehind(this.core.db, [...this.consumers.keys()]);
    const waiting = this.inTurn(behind.filter((one) => !this.running.has(keyOf(one))));
    const free = Math.max(0, atOnceMost - this.running.size);
    for (const one of waiting.slice(0, free)) this.start(one);
    this.othersWait = waiting.length > free;
    return behind.length > 0;
  }

  /** Until they have read everything, or for a moment. */
  async reading(): Promise<void> {
    await Promise.race([Promise.all(this.underWay()), new Promise((resolve) => setTimeout(resolve, waitedForMs).unref())]);
  }

  underWay = (): Iterable<Promise<void>> => this.running.values();

  /** Those that run end after the transaction that they are in. */
  stop(): void {
    this.stopped = true;
  }

  /** Whoever was started longest ago comes first. */
  private inTurn(waiting: readonly Behind[]): Behind[] {
    const startOf = (one: Behind) => this.started.get(keyOf(one)) ?? 0;
    const sorted = waiting.toSorted((a, b) => startOf(a) - startOf(b));
    this.started = new Map([...this.running.keys(), ...sorted.map(keyOf)].map((key) => [key, this.started.get(key) ?? 0]));
    return sorted;
  }

  private start(one: Behind): void {
    if (this.stopped) return;
    const key = keyOf(one);
    this.started.set(key, ++this.starts);
    const run = this.consumeAll(this.consumers.get(one.name)!, one.organization_id)
      .catch(this.onError)
      .finally(() => this.running.delete(key));
    this.running.set(key, run);
  }

  /** Until nothing is left, or others want its place. */
  private async consumeAll(consumer: Consumer, organizationId: string): Promise<void> {
    const request = { id: newId("req"), method: "", path: `consumer ${consumer.name}` };
    while (await asSystem(this.core, organizationId, request, (ctx) => consumeSome(ctx, consumer)))
      if (this.stopped || this.othersWait) return;
  }
}

interface Behind {
  name: string;
  organization_id: string;
}

const keyOf = ({ name, organization_id }: Behind): string => `${organization_id} ${name}`;
