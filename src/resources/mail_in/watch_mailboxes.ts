// Watches mailboxes by IDLE, so that a message is fetched as soon as it arrives. Each worker holds the connections to a share of
// the mailboxes, by leases. A notice only wakes the mailbox's job. If nobody watches, or a notice is lost, the job runs by itself
// after some minutes.
import { setTimeout as sleep } from "node:timers/promises";
import { type LeasedMailbox, leaveMailboxes, renewMailboxes, takeMailboxes } from "../../auth/unscoped_mailboxes.ts";
import type { Core } from "../../core/core.ts";
import { wake } from "../../jobs/job.ts";
import type { Watch, Watching } from "../../jobs/watch.ts";
import { asSystem, readingAs, systemActor } from "../../records/acting.ts";
import { MailboxError } from "../../services/imap.ts";
import { type Listening, listenAt } from "../../services/imap_idle.ts";
import { newId, randomId } from "../../values/id.ts";
import { mailboxJobs } from "../accounts/mailbox_jobs.ts";
import { accountToRead } from "./account_to_read.ts";
import { placeOf } from "./folder_place.ts";
import { loginOf } from "./mailbox_login.ts";
import { noteWatchFailed, noteWatchHolds } from "./watch_failures.ts";

export const mailboxWatch: Watch = {
  name: "mailboxes",
  open: (core, onError) => new MailboxWatching(core, onError),
};

/** The most mailboxes that a process watches. The others are only read every few minutes. */
const heldMost = 1000;
/** How many are leased at once, so that workers that start together share them. */
const takenMost = 100;
/** How many connections may be opening at a time. A server that does not answer soon holds up no others. */
const openingMost = 8;
const soonMs = 1000;
/** After a worker's end, another one takes its mailboxes after a lease and a turn: 80 seconds at most. */
const leaseMs = 60_000;
const turnMs = 20_000;
const briefMs = 1000;
/** Messages that come in a burst cause one notice. */
const burstMs = 100;
/** For servers without IDLE. */
const dayMs = 86_400_000;

/** A mailbox leased by this worker. */
interface Held extends LeasedMailbox {
  /** Null until the connection is open. */
  listening: Listening | null;
  since: number;
  notice: NodeJS.Timeout | null;
}

const keyOf = ({ organization_id, account_id }: LeasedMailbox): string => `${organization_id} ${account_id}`;

class MailboxWatching implements Watching {
  private readonly core: Core;
  private readonly onError: (error: Error) => void;
  private readonly worker = randomId("watch");
  private readonly held = new Map<string, Held>();
  private readonly waiting: Held[] = [];
  private readonly opening = new Set<Promise<void>>();
  /** How many of these were begun a moment ago. */
  private openingSoon = 0;
  private timer: NodeJS.Timeout | null = null;
  private looksAt = 0;
  private looking: Promise<void> = Promise.resolve();
  private readonly closing = new AbortController();

  constructor(core: Core, onError: (error: Error) => void) {
    this.core = core;
    this.onError = onError;
    this.lookIn(0);
  }

  async close(): Promise<void> {
    this.closing.abort();
    if (this.timer !== null) clearTimeout(this.timer);
    await this.looking;
    for (const one of this.held.values()) this.drop(one);
    await Promise.all(this.opening);
    await leaveMailboxes(this.core.db, this.worker);
  }

  // --- leases ---

  /** Looks again after this time, or earlier if that was scheduled. */
  private lookIn(ms: number): void {
    const at = performance.now() + ms;
    if (this.closing.signal.aborted || (this.timer !== null && this.looksAt <= at)) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.looksAt = at;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.looking = this.looking.then(() => this.turn());
    }, ms).unref();
  }

  private async turn(): Promise<void> {
    let isMore = false;
    try {
      await this.renew();
      isMore = await this.take();
    } catch (error) {
      this.onError(error as Error);
    }
    this.lookIn(isMore ? briefMs : turnMs);
  }

  private lease() {
    const now = this.core.clock();
    return { worker: this.worker, now, until: new Date(now.getTime() + leaseMs) };
  }

  /** Closes mailboxes that belong to another worker by now, or whose login has changed. */
  private async renew(): Promise<void> {
    const ours = new Map((await renewMailboxes(this.core.db, this.lease())).map((one) => [keyOf(one), one]));
    for (const [key, one] of this.held) if (!ours.has(key)) this.drop(one);
    for (const [key, renewed] of ours) {
      const one = this.held.get(key);
      if (one?.entrance !== renewed.entrance) this.hold(renewed);
      else if (one.failures > 0 && performance.now() - one.since > leaseMs) await this.forgive(one);
    }
  }

  /** Returns whether there may be more. */
  private async take(): Promise<boolean> {
    const most = Math.min(takenMost, heldMost - this.held.size);
    if (most <= 0) return false;
    const taken = await takeMailboxes(this.core.db, this.lease(), most);
    for (const one of taken) this.hold(one);
    return taken.length === most;
  }

  private hold(leased: LeasedMailbox): void {
    const before = this.held.get(keyOf(leased));
    if (before !== undefined) this.drop(before);
    const one: Held = { ...leased, listening: null, since: performance.now(), notice: null };
    this.held.set(keyOf(one), one);
    this.waiting.push(one);
    this.openNext();
  }

  private drop(one: Held): void {
    if (this.isHeld(one)) this.held.delete(keyOf(one));
    if (one.notice !== null) clearTimeout(one.notice);
    one.listening?.close();
  }

  private isHeld = (one: Held): boolean => this.held.get(keyOf(one)) === one;

  private async forgive(one: Held): Promise<void> {
    one.failures = 0;
    await noteWatchHolds(this.core, one);
  }

  // --- connections ---

  private openNext(): void {
    while (this.openingSoon < openingMost) {
      const one = this.waiting.shift();
      if (one === undefined) return;
      if (!this.isHeld(one)) continue;
      const run: Promise<void> = this.open(one)
        .catch(this.onError)
        .finally(() => this.opening.delete(run));
      this.opening.add(run);
      this.openingSoon++;
      void Promise.race([run, sleep(soonMs, undefined, { ref: false })]).then(() => {
        this.openingSoon--;
        this.openNext();
      });
    }
  }

  private async open(one: Held): Promise<void> {
    try {
      one.listening = await this.listen(one);
    } catch (error) {
      const isOfServer = error instanceof MailboxError;
      if (!isOfServer) this.onError(error as Error);
      return this.fail(one, isOfServer && error.problem === "login" ? refusedMs(one) : pauseMs(one));
    }
    if (one.listening === null) return this.fail(one, dayMs);
    if (!this.isHeld(one)) return one.listening.close();
    one.since = performance.now();
    void one.listening.ended.then(() => this.fail(one, pauseMs(one))).catch(this.onError);
  }

  private async listen(one: Held): Promise<Listening | null> {
    const { core } = this;
    const account = await accountToRead(await readingAs(core, systemActor(one.organization_id), occasion()), one.account_id);
    if (account === null) throw new MailboxError("server", "It is not read any more.");
    const login = await loginOf(core, account);
    const listening = await listenAt(core.settings.addresses, login, () => this.notice(one), this.closing.signal);
    if (listening === null) return null;
    // Messages since the last visit caused no notice.
    const place = await placeOf(core, account, "inbox");
    if (place?.uid_validity !== listening.uidValidity || place.last_uid + 1 < listening.uidNext) this.notice(one);
    return listening;
  }

  /** It is retried later, by the worker that leases it then. */
  private async fail(one: Held, ms: number): Promise<void> {
    if (!this.isHeld(one) || this.closing.signal.aborted) return;
    this.drop(one);
    await noteWatchFailed(this.core, { ...one, worker: this.worker }, new Date(this.core.clock().getTime() + ms));
    this.lookIn(ms + briefMs);
  }

  // --- notices ---

  private notice(one: Held): void {
    one.notice ??= setTimeout(() => {
      one.notice = null;
      this.wake(one).catch(this.onError);
    }, burstMs);
  }

  private wake = ({ organization_id, account_id }: Held): Promise<void> =>
    asSystem(this.core, organization_id, occasion(), async (ctx) => wake(ctx, mailboxJobs, [account_id]));
}

const occasion = () => ({ id: newId("req"), method: "", path: "mailbox watch" });

const minuteMs = 60_000;

/** Growing pauses, at most half an hour, with jitter. */
const pauseMs = ({ failures }: LeasedMailbox): number =>
  Math.min(30 * minuteMs, 5000 * 2 ** failures) * (0.5 + Math.random() / 2);

/** Repeated refused logins would lock an account. The mailbox's job finds out and notifies its owner. */
const refusedMs = (one: LeasedMailbox): number => 15 * minuteMs + pauseMs(one);
