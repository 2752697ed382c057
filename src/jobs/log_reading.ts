// Runs the consumers of the log, beside the looks for work. A log may grow as fast as it is read: jobs of other organizations, and
// other consumers, do not wait until it has ended.
import { consumersBehind } from "../auth/unscoped_work.ts";
import type { Core } from "../core/core.ts";
import { asSystem } from "../records/acting.ts";
import { newId } from "../values/id.ts";
import { type Consumer, consumeSome } from "./consumer.ts";

/** How long a look waits for consumers. Most are done by then, and the jobs that they cause are claimed at once. */
const waitedForMs = 100;

export class LogReading {
  private readonly core: Core;
  private readonly consumers: ReadonlyMap<string, Consumer>;
  private readonly onError: (error: Error) => void;
  /** One for each consumer and organization. */
  private readonly running = new Map<string, Promise<void>>();
  private stopped = false;

  constructor(core: Core, consumers: readonly Consumer[], onError: (error: Error) => void) {
    this.core = core;
    this.consumers = new Map(consumers.map((one) => [one.name, one]));
    this.onError = onError;
  }

  /** Starts the consumers that are behind, and returns whether there are any. */
  async look(): Promise<boolean> {
    const behind = await consumersBehind(this.core.db, [...this.consumers.keys()]);
    for (const { name, organization_id } of behind) this.start(this.consumers.get(name)!, organization_id);
    await Promise.race([Promise.all(this.underWay()), new Promise((resolve) => setTimeout(resolve, waitedForMs).unref())]);
    return behind.length > 0;
  }

  underWay = (): Iterable<Promise<void>> => this.running.values();

  /** Those that run end after the transaction that they are in. */
  stop(): void {
    this.stopped = true;
  }

  private start(consumer: Consumer, organizationId: string): void {
    const key = `${organizationId} ${consumer.name}`;
    if (this.running.has(key) || this.stopped) return;
    const run = this.consumeAll(consumer, organizationId)
      .catch(this.onError)
      .finally(() => this.running.delete(key));
    this.running.set(key, run);
  }

  private async consumeAll(consumer: Consumer, organizationId: string): Promise<void> {
    const request = { id: newId("req"), method: "", path: `consumer ${consumer.name}` };
    while (await asSystem(this.core, organizationId, request, (ctx) => consumeSome(ctx, consumer))) if (this.stopped) return;
  }
}
