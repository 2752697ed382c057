// Reads what is due for one webhook: retries, and the next events of the log.
import { type Ctx, query } from "../../core/context.ts";
import type { TextRow } from "../../db/database.ts";
import { parseTextArray } from "../../values/text_array.ts";
import { pgTimestamp } from "../../values/time.ts";
import { arrange, coalesced } from "./arrange.ts";
import { pingJson, pingName } from "./ping.ts";
import { readEvents, readNews } from "./read_news.ts";
import { isStumbling } from "./schedule.ts";
import { type Delivery, most, type Turn, type Webhook } from "./turn.ts";

/** Everything is read as the webhook's creator sees it at this moment. */
export async function readTurn(ctx: Ctx, webhook: Webhook, mayLook: () => boolean): Promise<Turn> {
  const health = healthOf(webhook);
  const isProbe = health.probe_at !== null;
  const holdsBack = !isProbe && (webhook.ordering === "object" || webhook.coalesce_ms > 0);
  const [due, waiting] = await Promise.all([
    isProbe ? readOpen(ctx, webhook, "next", 1) : readOpen(ctx, webhook, "due", most),
    holdsBack ? readOpen(ctx, webhook, "later", waitingMost) : [],
  ]);
  const again = await withEvents(ctx, webhook, due);
  const turn = { webhook, health, isProbe, deliveries: again, place: null, isMore: due.length === most };
  // While every delivery fails, no new events are read: they stay in the log and cost nothing.
  if (isProbe || isStumbling(health) || turn.isMore) return turn;

  const { news, place, isMore } = await readNews(ctx, webhook, most, mayLook);
  return { ...turn, deliveries: arrange(ctx, webhook, again, waiting, news), place, isMore };
}

/**
 * No webhook has more waiting deliveries: after a dozen failures no new events are read, and updates wait for at most a minute.
 */
const waitingMost = 10_000;

const healthOf = ({ failures_in_row, failing_since, probe_at, probes, concurrency }: Webhook) => ({
  failures_in_row,
  failing_since: instant(failing_since),
  probe_at: instant(probe_at),
  probes,
  concurrency,
});

const instant = (text: string | null): Date | null => (text === null ? null : new Date(text));

// --- existing deliveries ---

const which = {
  due: "next_at <= $3",
  later: "next_at > $3",
  // Somebody waits for a test.
  next: "next_at is not null and $3::timestamptz is not null",
};

async function readOpen(ctx: Ctx, { id }: Webhook, those: keyof typeof which, limit: number): Promise<Delivery[]> {
  const rows = await query(ctx, {
    name: `webhook_delivery.${those}`,
    text: `select id, event_id, coalesced_ids, event, object_id, status, attempt_count, tried_since, tries, next_at, http_status, error
           from webhook_delivery
           where organization_id = $1 and webhook_id = $2 and ${which[those]} order by event <> '${pingName}', next_at, id limit $4`,
    values: [ctx.organization_id, id, ctx.now, limit],
  });
  return rows.map(deliveryOf);
}

function deliveryOf(row: TextRow): Delivery {
  const [id, event_id, coalesced_ids, event, object_id, status, attempt_count, tried_since, tries, next_at, http_status, error] =
    row;
  return {
    id: id!,
    event_id: event_id!,
    coalesced_ids: parseTextArray(coalesced_ids!),
    event: event!,
    object_id: object_id!,
    status: status as Delivery["status"],
    attempt_count: Number(attempt_count),
    tried_since: new Date(pgTimestamp(tried_since!)),
    tries: Number(tries),
    next_at: new Date(pgTimestamp(next_at!)),
    http_status: http_status == null ? null : Number(http_status),
    error: error!,
    place: null,
    json: null,
    waits: false,
    isGone: false,
    attempt: null,
    wait_until: null,
  };
}

/** With the JSON to be sent, in the order of the log. */
async function withEvents(ctx: Ctx, webhook: Webhook, due: readonly Delivery[]): Promise<Delivery[]> {
  const events = await readEvents(
    ctx,
    due.flatMap(({ event_id, coalesced_ids }) => [event_id, ...coalesced_ids]),
  );
  for (const one of due) {
    const found = [...one.coalesced_ids, one.event_id].flatMap((id) => events.get(id)?.json ?? []);
    if (one.event === pingName) one.json = pingJson(webhook, one);
    else if (events.has(one.event_id)) one.json = coalesced(found);
    else one.isGone = true;
  }
  const place = (one: Delivery) => events.get(one.event_id)?.order ?? -1;
  return [...due].sort((one, other) => place(one) - place(other));
}
