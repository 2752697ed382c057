// The state of a turn. A turn reads what is due for one webhook, sends it, and stores the results.
import type { Row } from "../../core/resource.ts";
import type { Health } from "./schedule.ts";
import type { webhook } from "./webhook.ts";
import type { Attempt, deliveryStates } from "./webhook_delivery.ts";

export type Webhook = Row<typeof webhook>;

/** A place in the log: epoch, position, seq, as the database writes them. */
export type Place = readonly [string, string, string];

export interface Delivery {
  id: string;
  event_id: string;
  coalesced_ids: string[];
  event: string;
  object_id: string;
  status: (typeof deliveryStates)[number];
  attempt_count: number;
  tried_since: Date;
  tries: number;
  next_at: Date | null;
  http_status: number | null;
  error: string | null;
  /**
   * For a delivery without a row: its place in the log, up to which everything is handled once it has a row. Null for one with a
   * row.
   */
  place: Place | null;
  /** The JSON of the event to be sent. Null when it was not read. */
  json: string | null;
  /** It is not sent in this turn, only stored. */
  waits: boolean;
  /** The event is no longer kept, or hidden from the webhook's creator. */
  isGone: boolean;
  /** The result of this turn. */
  attempt: Attempt | null;
  /** How long the receiver asks us to wait. */
  wait_until: Date | null;
}

/** What a turn does. */
export interface Turn {
  webhook: Webhook;
  health: Health;
  /** In the order of sending, or of storing when they wait. */
  deliveries: Delivery[];
  /** How far the log is handled when all of these have rows. Null when none of it was read. */
  place: Place | null;
  /** More is waiting than fits in one turn. */
  isMore: boolean;
  /** A single delivery, to see whether the receiver is back. */
  isProbe: boolean;
}

/** The most deliveries in one turn. */
export const most = 200;
