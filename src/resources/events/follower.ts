// One open stream: its filters, how far it has been sent, and how much is not yet read by the client.
import { type Ctx, type Lasting, may } from "../../core/context.ts";
import type { Asker } from "../../db/database.ts";
import { and } from "../../db/sql.ts";
import type { ListInput } from "../../records/list_input.ts";
import type { Projection } from "../../records/writer.ts";
import { LiveBody } from "../../services/live_body.ts";
import { hasPassed } from "../../values/time.ts";
import { type FeedPlace, feedCursor, isBefore } from "./event_cursor.ts";
import { type Entry, type FeedPage, readFeed } from "./feed.ts";

/** The filters and fields of a stream. Streams with the same `key` and the same visibility get the same bytes. */
export interface Asked {
  input: ListInput;
  projection: Projection;
  key: string;
}

/** An event in the form of the stream. */
export interface Told {
  after: readonly string[];
  text: string;
}

const heartbeatMs = 15_000;
const lastsMs = 15 * 60_000;
/** A client with more unread bytes than this is disconnected. It reconnects with the id of the last event it read. */
const unreadMost = 1024 * 1024;
/** The time after which a client reconnects when its stream has ended. */
const retryMs = 2000;

export class Follower {
  readonly body = new LiveBody();
  readonly organization_id: string;
  readonly asked: Asked;
  readonly lasting: Lasting;
  /** Everything up to here was sent, or is not for this caller. */
  place: FeedPlace;
  /** The caller as last looked up, and when that was. */
  ctx: Ctx;
  lookedAt: number;
  private readonly beganAt: number;
  private toldAt: number;

  constructor(ctx: Ctx, asked: Asked, place: FeedPlace) {
    this.ctx = ctx;
    this.lasting = ctx.lasting!;
    this.organization_id = ctx.organization_id;
    this.asked = asked;
    this.place = place;
    this.beganAt = this.toldAt = this.lookedAt = ctx.now.getTime();
    this.body.tell(`retry: ${retryMs}\n${placeText(this.cursor(place))}`);
  }

  isNow(ctx: Ctx): void {
    this.ctx = ctx;
    this.lookedAt = ctx.now.getTime();
  }

  /** Sends events that were read for this stream alone, and moves its place. */
  async readOn(): Promise<FeedPage> {
    this.isNow(await this.lasting.later());
    return readFeed({ ...this.ctx, asker: patient(this.body) }, this.asked.input, this.asked.projection, this.place);
  }

  tellPage({ entries, goesOn }: FeedPage): void {
    const told = entries.map((entry) => toldOf(this.ctx, this.asked, entry));
    this.send(told.map(({ text }) => text).join(""));
    this.place = goesOn;
  }

  /** Sends those events of an audience that are after this stream's place. `whole` is their bytes, which many streams share. */
  tell(told: readonly Told[], whole: Buffer, place: FeedPlace): void {
    const isNew = ({ after }: Told) => isBefore(this.place.after, after);
    if (told.length > 0 && isNew(told[0]!)) this.send(whole);
    else
      this.send(
        told
          .filter(isNew)
          .map(({ text }) => text)
          .join(""),
      );
    if (isBefore(this.place.after, place.after)) this.place = place;
  }

  /**
   * Sends the current place when there was nothing else to send, so that the client's cursor never gets old. Ends streams that
   * have lasted long enough.
   */
  beat(now: number, place: FeedPlace): void {
    const isOver = now - this.beganAt >= lastsMs;
    if (isOver || hasPassed(this.toldAt, now, heartbeatMs)) this.send(placeText(this.cursor(laterOf(this.place, place))));
    if (isOver) this.body.end();
  }

  private cursor = (place: FeedPlace): string => feedCursor(this.asked.input, place);

  private send(piece: string | Buffer): void {
    if (piece.length === 0) return;
    if (this.body.readableLength > unreadMost) return void this.body.destroy();
    this.toldAt = this.lasting.clock().getTime();
    this.body.tell(piece);
  }
}

/** The filters in the database's form, so that equal requests in different words share the same events. */
export function askedOf(input: ListInput, projection: Projection): Asked {
  const { sql, values } = and(input.conditions);
  return { input, projection, key: JSON.stringify([sql, values, input.fields, input.fingerprint()]) };
}

/** Callers with the same text here see the same: both may see all leads, or are the same member. */
export function sightOf(ctx: Ctx): string {
  const { user_id, role_id, ...actor } = ctx.actor;
  const permissions = [...actor.permissions].sort().join();
  return may(ctx, "view_all_leads") ? permissions : `${user_id} ${role_id} ${permissions}`;
}

export function toldOf(ctx: Ctx, { input, projection }: Asked, { row, event, place }: Entry): Told {
  const data = oneLine(projection.write(row, ctx.directory, ctx));
  return { after: place.after, text: `id: ${feedCursor(input, place)}\nevent: ${event}\ndata: ${data}\n\n` };
}

/**
 * JSON in one line. A line break would end `data`: JSON has no meaningful ones, so they are removed. Two characters of Unicode end
 * a line for many clients, although not by the standard of the stream.
 */
const oneLine = (json: string): string => json.replace(/[\r\n]+|[\u2028\u2029]/g, (found) => escapes.get(found) ?? " ");
const escapes = new Map(["\u2028", "\u2029"].map((end) => [end, `\\u${end.charCodeAt(0).toString(16)}`]));

/** A comment and an id without data: clients keep the id and report nothing. */
const placeText = (cursor: string): string => `:\nid: ${cursor}\n\n`;

/** The later of two places. Both moments hold for it. */
const laterOf = (one: FeedPlace, other: FeedPlace): FeedPlace => ({
  ...(isBefore(one.after, other.after) ? other : one),
  at: one.at > other.at ? one.at : other.at,
});

/** Reads for streams may wait, and leave connections to requests that need an answer now. */
export const patient = (body: LiveBody | null, asker: Asker | null = null): Asker => ({
  isHeavy: true,
  hasBegun: true,
  patienceMs: Number.POSITIVE_INFINITY,
  stepAside: () => asker?.stepAside(),
  stepOut: () => asker?.stepOut(),
  get hasLeft() {
    return body?.destroyed === true || asker?.hasLeft === true;
  },
  onLeave: (act) => asker?.onLeave(act) ?? (() => {}),
});
