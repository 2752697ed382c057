// The worker: finds work in all organizations and does it. Several may run, on one or more machines.
import { noteTimer, organizationsWithJobs, organizationsWithLateJobs, setTimers, takeTimers } from "../auth/unscoped_work.ts";
import type { Core } from "../core/core.ts";
import { randomId } from "../values/id.ts";
import { traced } from "../values/traced.ts";
import { claimJobs, doJob, factsOf, giveBack, tooFar, wakeLateJobs } from "./claims.ts";
import type { Consumer } from "./consumer.ts";
import type { Job, Work } from "./job.ts";
import { LogReading } from "./log_reading.ts";
import { Places, type WithJobs } from "./places.ts";
import type { Timer } from "./timer.ts";
import type { Watch, Watching } from "./watch.ts";

/** All background work. */
export interface Background {
  works: readonly Work[];
  consumers: readonly Consumer[];
  timers: readonly Timer[];
  watches?: readonly Watch[];
}

export interface Worker {
  /** Waits until nothing is due by the service's clock. For tests, which move the clock. */
  drained(): Promise<void>;
  /** Starts nothing new and waits for running work. What takes longer is given to other workers at once. */
  stop(graceMs?: number): Promise<void>;
}

/** The pause before the next look while there is work. Without work, the pause grows. */
const busyMs = 20;
const idleMs = 250;
/** Looking for work takes at most a tenth of the time, but nothing that is due waits much longer than a second for the next look. */
const restFactor = 9;
const restMostMs = 1000;
/** How often timers are checked. */
const timersMs = 1000;

/** Hears of failures, and of the job in which they happened. */
export type OnError = (error: Error, job?: Record<string, unknown>) => void;

export function openWorker(core: Core, background: Background, onError: OnError): Worker {
  return new Running(core, background, onError);
}

class Running implements Worker {
  private readonly core: Core;
  private readonly works: ReadonlyMap<string, Work>;
  private readonly log: LogReading;
  private readonly timers: ReadonlyMap<string, Timer>;
  private readonly onError: OnError;
  private readonly watching: readonly Watching[];
  private readonly places = new Places();
  private readonly firing = new Map<string, Promise<void>>();
  /** For each kind, the organization served last: the next turn starts after it. */
  private readonly servedLast = new Map<string, string>();
  private looking: Promise<boolean> | null = null;
  private claiming: Promise<boolean> | null = null;
  private refilling: Promise<void> | null = null;
  /** How long the latest look and the latest claim took. */
  private lookMs = 0;
  private claimMs = 0;
  private timer: NodeJS.Timeout | null = null;
  /** When the next look is. */
  private looksAt = Number.NEGATIVE_INFINITY;
  private pauseMs = busyMs;
  private timersLookedAt = Number.NEGATIVE_INFINITY;
  private timersAreSet = false;
  private stopped = false;

  constructor(core: Core, { works, consumers, timers, watches = [] }: Background, onError: OnError) {
    this.core = core;
    this.onError = onError;
    this.works = new Map(works.map((one) => [one.kind, one]));
    this.log = new LogReading(core, consumers, onError);
    this.timers = new Map(timers.map((one) => [one.name, one]));
    this.watching = watches.map((one) => one.open(core, onError));
    this.lookIn(0);
  }

  async drained(): Promise<void> {
    await this.fireTimers();
    for (;;) {
      while (this.looking !== null) await this.looking;
      // Read before the look: a job that ends during it may be due again at once.
      const wasBusy = this.isBusy();
      if (!(await this.look()) && !wasBusy) return;
      await Promise.race([this.nextEnd(), pause(busyMs)]);
    }
  }

  async stop(graceMs?: number): Promise<void> {
    this.stopped = true;
    this.log.stop();
    if (this.timer !== null) clearTimeout(this.timer);
    const ended = this.ended();
    await (graceMs === undefined ? ended : Promise.race([ended, pause(graceMs)]));
    await Promise.all(this.places.jobs().map((job) => giveBack(this.core, job).catch(this.onError)));
  }

  private async ended(): Promise<void> {
    await Promise.all(this.watching.map((one) => one.close().catch(this.onError)));
    await this.looking;
    await this.refilling;
    await this.claiming?.catch(() => {});
    await Promise.all(this.underWay());
  }

  // --- when to look ---

  private lookIn(ms: number): void {
    if (this.stopped) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.looksAt = performance.now() + ms;
    this.timer = setTimeout(() => void this.turn(), ms).unref();
  }

  private async turn(): Promise<void> {
    const began = performance.now();
    const found = await this.look();
    if (began - this.timersLookedAt >= timersMs) {
      this.timersLookedAt = began;
      void this.fireTimers();
    }
    this.pauseMs = found ? busyMs : Math.min(idleMs, this.pauseMs * 2);
    this.lookIn(this.restedMs(this.pauseMs));
  }

  private restedMs = (pauseMs: number): number => Math.max(pauseMs, Math.min(restMostMs, this.lookMs * restFactor));

  /** What has ended may have written events, and have made other work due. */
  private lookSoon(): void {
    this.pauseMs = busyMs;
    const ms = this.restedMs(busyMs);
    if (performance.now() + ms < this.looksAt) this.lookIn(ms);
  }

  /** Starts what is due, and returns whether there was anything. A call during a look waits for the next one. */
  private async look(): Promise<boolean> {
    while (this.looking !== null) await this.looking;
    this.looking = this.lookOnce().catch((error) => {
      this.onError(error);
      return false;
    });
    return this.looking.finally(() => (this.looking = null));
  }

  private async lookOnce(): Promise<boolean> {
    const began = performance.now();
    const found = await Promise.all([this.log.look(), wakeLate(this.core)]);
    this.lookMs = performance.now() - began;
    await this.log.reading();
    return (await this.claim()) || found.some(Boolean);
  }

  // --- jobs ---

  /** One claim after the other, because each fills the places that are free. */
  private async claim(): Promise<boolean> {
    while (this.claiming !== null) await this.claiming.catch(() => {});
    const began = performance.now();
    this.claiming = this.claimOnce();
    return this.claiming.finally(() => {
      this.claiming = null;
      this.claimMs = performance.now() - began;
    });
  }

  /**
   * There may be more of what has ended, and a place is free. What ends soon after it is replaced by the same claim, so that claiming
   * takes half of the time at most.
   */
  private refill(): void {
    if (this.stopped) return;
    this.refilling ??= pause(this.claimMs)
      .then(() => {
        this.refilling = null;
        return this.claim();
      })
      .then(() => {}, this.onError);
  }

  private async claimOnce(): Promise<boolean> {
    const free = [...this.works.values()].filter((work) => this.places.free(work) > 0).map(({ kind }) => kind);
    if (free.length === 0 || this.stopped) return false;
    const found = await organizationsWithJobs(this.core.db, free);
    const mayHaveMore = found.filter((one) => this.places.freeOf(this.works.get(one.kind)!, one) > 0);
    const ofKind = Map.groupBy(mayHaveMore, ({ kind }) => kind);
    const claimed = await Promise.all([...ofKind].map(([kind, those]) => this.claimOf(this.works.get(kind)!, those)));
    return claimed.some(Boolean);
  }

  /** Each organization in turn, and each about as many as the others. */
  private async claimOf(work: Work, organizations: readonly WithJobs[]): Promise<boolean> {
    const inTurn = this.fromTheNext(work, organizations);
    const share = Math.max(1, Math.floor(this.places.free(work) / inTurn.length));
    const served = inTurn.slice(0, this.places.free(work));
    this.servedLast.set(work.kind, served.at(-1)!.organization_id);
    const claims = served.map((one) => {
      return claimJobs(this.core, one.organization_id, work, this.places.portionOf(work, one, share), randomId("claim"));
    });
    const jobs = (await Promise.all(claims)).flat();
    for (const job of jobs) this.do(work, job);
    return jobs.length > 0;
  }

  private fromTheNext(work: Work, organizations: readonly WithJobs[]): WithJobs[] {
    const sorted = [...organizations].sort((one, other) => (one.organization_id < other.organization_id ? -1 : 1));
    const last = this.servedLast.get(work.kind) ?? "";
    const next = sorted.findIndex((one) => one.organization_id > last);
    return next < 0 ? sorted : [...sorted.slice(next), ...sorted.slice(0, next)];
  }

  private do(work: Work, job: Job): void {
    const run = doJob(this.core, work, job)
      .catch((error) => this.onError(error, factsOf(job)))
      .finally(() => {
        this.places.leave(work, run);
        this.refill();
        this.lookSoon();
      });
    this.places.take(work, run, job);
  }

  // --- timers ---

  private async fireTimers(): Promise<void> {
    if (this.stopped) return;
    const due = await this.takeTimers().catch((error) => {
      this.onError(error);
      return [];
    });
    for (const { name, failures } of due)
      this.firing.set(
        name,
        this.fire(name, failures)
          .catch(this.onError)
          .finally(() => this.firing.delete(name)),
      );
    await Promise.all(due.map(({ name }) => this.firing.get(name)));
  }

  private async takeTimers(): Promise<{ name: string; failures: number }[]> {
    const now = this.core.clock();
    if (!this.timersAreSet) await setTimers(this.core.db, [...this.timers.keys()], now);
    this.timersAreSet = true;
    const idle = [...this.timers.values()].filter(({ name }) => !this.firing.has(name));
    return takeTimers(this.core.db, idle, now);
  }

  private async fire(name: string, failures: number): Promise<void> {
    try {
      const timer = this.timers.get(name)!;
      await traced({ name: `timer ${name}`, kind: "internal", attributes: {} }, () => timer.run(this.core));
    } catch (error) {
      await noteTimer(this.core.db, name, error as Error);
      throw error;
    }
    if (failures > 0) await noteTimer(this.core.db, name, null);
  }

  // --- running work ---

  private *underWay(): Iterable<Promise<unknown>> {
    yield* this.places.runs();
    yield* this.firing.values();
    if (this.refilling !== null) yield this.refilling;
    if (this.claiming !== null) yield this.claiming.catch(() => {});
    yield* this.log.underWay();
  }

  private isBusy = (): boolean => [...this.underWay()].length > 0;

  private nextEnd = (): Promise<unknown> => Promise.race([...this.underWay(), pause(idleMs)]);
}

const wakeLate = async (core: Core): Promise<boolean> => {
  const now = core.clock();
  const late = await organizationsWithLateJobs(core.db, now, tooFar(now));
  for (const organizationId of late) await wakeLateJobs(core, organizationId);
  return late.length > 0;
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());
