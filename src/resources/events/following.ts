// All open streams of this process. One reader looks for new events for all of them, and events are read once for all streams
// with the same filters and visibility. Without streams, nothing is read.
import { type NewEvent, newEventsOf } from "../../auth/unscoped_work.ts";
import { type Ctx, may } from "../../core/context.ts";
import { Problem } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";
import { hasPassed } from "../../values/time.ts";
import { isForAll } from "./as_object.ts";
import { type FeedPlace, isBefore } from "./event_cursor.ts";
import { type FeedPage, readThese } from "./feed.ts";
import { type Follower, patient, sightOf, type Told, toldOf } from "./follower.ts";

/** The most streams at once. One organization leaves room for others among the 2,000 of a process. */
const followersMost = 1000;

/** The pause before the next look while there are new events. Without any, the pause grows. */
const busyMs = 20;
const idleMs = 250;
/** Callers are looked up again this often, and before they are sent events. */
const lookMs = 10_000;
/** The most events read at once from all logs, and sent at once from one. */
const readMost = 5000;
const tellMost = 500;

/** The streams of one organization that have caught up with the reader. */
interface Audience {
  organization_id: string;
  followers: Set<Follower>;
  /** How far the log has been read, and how far it has been sent to all of them. */
  read: readonly string[];
  told: FeedPlace;
  telling: Promise<void> | null;
}

const followings = new WeakMap<Database, Following>();

export function followingOf({ db }: Ctx): Following {
  let following = followings.get(db);
  if (following === undefined) followings.set(db, (following = new Following(db)));
  return following;
}

class Following {
  private readonly db: Database;
  private readonly open = new Set<Follower>();
  private readonly audiences = new Map<string, Audience>();
  private isLooking = false;
  private timer: NodeJS.Timeout | null = null;
  private pauseMs = busyMs;

  constructor(db: Database) {
    this.db = db;
  }

  /** Adds a stream until it is closed. Refuses it when there are too many. */
  admit(one: Follower): void {
    const ofOrganization = [...this.open].filter((other) => other.organization_id === one.organization_id).length;
    if (ofOrganization >= followersMost)
      throw new Problem(
        429,
        `An organization may have ${followersMost} streams open at once: close one first.`,
        {},
        { "retry-after": "60" },
      );
    this.open.add(one);
    one.body.once("close", () => this.leave(one));
    this.lookIn(busyMs);
  }

  /** Starts from a page that was already read, or from the present. Runs until the stream is closed, and never rejects. */
  async begin(one: Follower, first: FeedPage | null): Promise<void> {
    try {
      let page = first;
      for (;;) {
        if (page !== null) one.tellPage(page);
        const isUp = page === null || page.isAll;
        if (one.body.hasEnded || (isUp && this.join(one))) return;
        await one.body.sent();
        if (isUp) await pause(busyMs);
        page = await one.readOn();
      }
    } catch (error) {
      endFor(error, one);
    }
  }

  /** A stream that has caught up joins the audience, and gets what the reader reads from then on. */
  private join(one: Follower): boolean {
    if (one.place.seen !== null) return false;
    const { organization_id, place } = one;
    const audience = this.audiences.get(organization_id) ?? {
      organization_id,
      followers: new Set(),
      read: place.after,
      told: place,
      telling: null,
    };
    if (isBefore(place.after, audience.read)) return false;
    this.audiences.set(organization_id, audience);
    audience.followers.add(one);
    return true;
  }

  private leave(one: Follower): void {
    this.open.delete(one);
    const audience = this.audiences.get(one.organization_id);
    audience?.followers.delete(one);
    if (audience?.followers.size === 0) this.audiences.delete(one.organization_id);
  }

  private lookIn(ms: number): void {
    this.pauseMs = ms;
    if (this.open.size === 0 || this.isLooking) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.turn(), ms).unref();
  }

  private async turn(): Promise<void> {
    this.isLooking = true;
    this.pauseMs = Math.min(idleMs, this.pauseMs * 2);
    try {
      if (await this.read()) this.pauseMs = busyMs;
      this.beat();
      await this.lookAgain();
    } catch (error) {
      // The database may be away for a moment. The places stay, and missed events are read when it is back.
      if (!isRefusal(error)) for (const one of this.open) endFor(error, one);
      this.pauseMs = idleMs;
    }
    this.isLooking = false;
    this.lookIn(this.pauseMs);
  }

  /** Looks for new events and sends them. Returns whether there were any. */
  private async read(): Promise<boolean> {
    const waiting = [...this.audiences.values()].filter(({ telling }) => telling === null);
    const [first] = this.open;
    if (waiting.length === 0) return false;
    const at = first!.lasting.clock().toISOString();
    const found = await newEventsOf(
      this.db,
      waiting.map(({ organization_id, read }) => ({ organization_id, after: read })),
      readMost,
    );
    const isAll = found.length < readMost;
    const news = Map.groupBy(found, ({ organization_id }) => organization_id);
    for (const audience of waiting) {
      const entries = news.get(audience.organization_id) ?? [];
      const part = entries.slice(0, tellMost);
      const upTo = {
        after: part.at(-1)?.after ?? audience.read,
        at: isAll && part.length === entries.length ? at : audience.told.at,
        seen: null,
      };
      if (part.length === 0) audience.told = upTo;
      else this.tellAll(audience, part, upTo);
    }
    return found.length > 0;
  }

  private tellAll(audience: Audience, entries: readonly NewEvent[], upTo: FeedPlace): void {
    audience.read = upTo.after;
    audience.telling = this.tell([...audience.followers], entries, upTo)
      .then(() => void (audience.told = upTo))
      .catch((error) => {
        // Each stream knows its own place, so events may safely be sent again.
        audience.read = audience.told.after;
        if (!isRefusal(error)) for (const one of audience.followers) endFor(error, one);
      })
      .finally(() => {
        audience.telling = null;
        this.lookIn(busyMs);
      });
  }

  /** Callers are looked up first, and visibility is checked at the moment of reading. */
  private async tell(followers: readonly Follower[], entries: readonly NewEvent[], upTo: FeedPlace): Promise<void> {
    await lookUp(followers);
    const present = followers.filter(({ body }) => !body.hasEnded);
    const groups = Map.groupBy(present, ({ asked, ctx }) => `${sightOf(ctx)} ${asked.key}`);
    await Promise.all([...groups.values()].map((group) => tellGroup(group, entries, upTo)));
  }

  private async lookAgain(): Promise<void> {
    const due = [...this.open].filter(({ lasting, lookedAt }) => hasPassed(lookedAt, lasting.clock().getTime(), lookMs));
    await lookUp(due);
  }

  private beat(): void {
    for (const one of this.open) {
      const audience = this.audiences.get(one.organization_id);
      const place = audience?.followers.has(one) ? audience.told : one.place;
      one.beat(one.lasting.clock().getTime(), place);
    }
  }
}

/** Looks up the callers, each key once, and ends the streams of those who may no longer follow. */
async function lookUp(followers: readonly Follower[]): Promise<void> {
  const byKey = Map.groupBy(followers, (one) => one.ctx.actor.api_key_id ?? one);
  await Promise.all(
    [...byKey.values()].map(async (those) => {
      try {
        const ctx = await those[0]!.lasting.later();
        for (const one of those) one.isNow(ctx);
      } catch (error) {
        for (const one of those) endFor(error, one);
      }
    }),
  );
}

/**
 * Callers who see all leads share one reading, which does not depend on who they are. Other members' events are read in their own
 * name.
 */
async function tellGroup(group: readonly Follower[], entries: readonly NewEvent[], upTo: FeedPlace): Promise<void> {
  const shared = nobody(group[0]!.ctx);
  const isShared = isSharedBy(group[0]!.ctx, shared);
  const [forAll, forEach] = [entries.filter(isShared), entries.filter((one) => !isShared(one))];
  const common = await read(shared, group[0]!, forAll);
  for (const those of Map.groupBy(group, ({ ctx }) => (forEach.length === 0 ? "" : ctx.actor.user_id)).values()) {
    const own = await read(those[0]!.ctx, those[0]!, forEach);
    const told = entries.flatMap(({ id }) => common.get(id) ?? own.get(id) ?? []);
    const whole = Buffer.from(told.map(({ text }) => text).join(""));
    for (const one of those) one.tell(told, whole, upTo);
  }
}

const nobody = (ctx: Ctx): Ctx => ({ ...ctx, actor: { ...ctx.actor, user_id: "", membership_id: "" } });

function isSharedBy(ctx: Ctx, shared: Ctx): (one: NewEvent) => boolean {
  if (!may(ctx, "view_all_leads")) return () => false;
  const known = new Map<string, boolean>();
  return ({ object_id, tells_move }) => {
    const prefix = object_id.slice(0, object_id.lastIndexOf("_"));
    let isOpen = known.get(prefix);
    if (isOpen === undefined) known.set(prefix, (isOpen = isForAll(shared, object_id)));
    return isOpen && !tells_move;
  };
}

async function read(ctx: Ctx, { asked }: Follower, entries: readonly NewEvent[]): Promise<Map<string, Told>> {
  if (entries.length === 0) return new Map();
  const ids = entries.map(({ id }) => id);
  const found = await readThese({ ...ctx, asker: patient(null) }, asked.input, asked.projection, ids);
  return new Map(found.map((entry) => [entry.id, toldOf(ctx, asked, entry)]));
}

/** A refusal ends the stream normally: the client reconnects and gets the reason. Any other error is a defect and is logged. */
function endFor(error: unknown, { body }: Follower): void {
  if (isRefusal(error)) body.end();
  else body.destroy(error as Error);
}

const isRefusal = (error: unknown): boolean => typeof (error as { status?: unknown }).status === "number";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());
