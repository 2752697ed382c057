// The verbs of webhooks.
import { type Ctx, transactionOf, write } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Patch, Row, Values } from "../../core/resource.ts";
import { follow } from "../../jobs/consumer.ts";
import { wake } from "../../jobs/job.ts";
import { store } from "../../records/store.ts";
import { newId } from "../../values/id.ts";
import { type EventFilter, tooMuch } from "../events/event_filter.ts";
import { eventPattern, unknownEvent } from "../events/event_names.ts";
import { isActiveMember } from "../organization/user.ts";
import { sealFor } from "../shared/sealed.ts";
import { webhookJobs, webhookNews } from "./names.ts";
import { beginOpenAnew, giveUpOpen } from "./open_deliveries.ts";
import { newKey } from "./sign.ts";
import { type GivenEvent, webhook } from "./webhook.ts";

type Webhook = Row<typeof webhook>;

const webhooksMax = 40;

export async function createWebhook(
  ctx: Ctx,
  { skip_backlog: _, ...given }: Create<typeof webhook>,
): Promise<Webhook & { signature_key: string }> {
  const subscription = subscriptionOf(given.events!, given.event_filters ?? {});
  await refuseTooMany(ctx);

  const id = newId(webhook.prefix, ctx.now.getTime());
  const signature_key = newKey();
  const sealed_signature_key = sealFor(ctx, webhook, id, "sealed_signature_key", signature_key);
  const row = store.insert(ctx, webhook, {
    ...given,
    ...subscription,
    ...stateOf(given.status, "active"),
    id,
    sealed_signature_key,
  });
  if (row.status === "active") look(ctx, id);
  return { ...row, signature_key };
}

export async function updateWebhook(
  ctx: Ctx,
  before: Webhook,
  { skip_backlog = false, ...patch }: Patch<typeof webhook>,
): Promise<Webhook> {
  if (skip_backlog && patch.status !== "active") throw invalid({ skip_backlog: "can only be given with status active" });
  if (patch.status === "active" && !isActiveMember(ctx.directory, before.created_by!))
    throw invalid({
      status: "cannot be active: the member who created it has left, and it sends what they may see. Create a new one",
    });
  const isFresh = patch.status === "active" || isElsewhere(before, patch);

  const after = store.update(ctx, webhook, before, {
    ...patch,
    ...changedSubscription(before, patch),
    ...stateOf(patch.status, before.status),
    ...(isFresh && fresh),
    ...(skip_backlog && { cursor_position: null, cursor_seq: 0 }),
  });
  if (skip_backlog) giveUpOpen(ctx, before.id);
  else if (isFresh) beginOpenAnew(ctx, before.id);
  if (after.status === "active") look(ctx, before.id);
  return after;
}

/** Earlier failures say nothing about the new address. */
const fresh: Values<typeof webhook> = { failing_since: null, failures_in_row: 0, probe_at: null, probes: 0 };

const isElsewhere = (before: Webhook, { url, verify_ssl }: Patch<typeof webhook>): boolean =>
  (url !== undefined && url !== before.url) || (verify_ssl !== undefined && verify_ssl !== before.verify_ssl);

/** Wakes the webhook's job now, and for events from now on. */
function look(ctx: Ctx, id: string): void {
  follow(ctx, webhookNews);
  wake(ctx, webhookJobs, [id]);
}

/** The state of a webhook that is set active, even if it already was. The member who pauses it is stored. */
function stateOf(status: Webhook["status"] | undefined, before: Webhook["status"]): Values<typeof webhook> {
  if (status === "active") return { pause_reason: null, latest_error: null, failed: 0 };
  return status === "paused" && before === "active" ? { pause_reason: "api" } : {};
}

// Counted under a lock, so that two concurrent creates do not both take the last place.
async function refuseTooMany(ctx: Ctx): Promise<void> {
  write(ctx, {
    text: "select pg_advisory_xact_lock(hashtextextended($1, 0))",
    values: [`webhook ${ctx.organization_id}`],
  });
  const [row] = await transactionOf(ctx).read({
    text: "select count(*) from webhook where organization_id = $1",
    values: [ctx.organization_id],
  });
  if (Number(row![0]) >= webhooksMax) throw invalid({}, `Webhook limit reached: an organization has ${webhooksMax} at most.`);
}

type Filters = Record<string, EventFilter>;
type Subscription = { events: string[]; event_filters: Filters | null };

/** Events that stay subscribed keep their filters. The filters of removed ones are dropped. */
function changedSubscription(before: Webhook, { events, event_filters }: Patch<typeof webhook>): Partial<Subscription> {
  if (events === undefined && event_filters === undefined) return {};
  const kept = event_filters === undefined ? before.event_filters : null;
  return subscriptionOf(events ?? before.events, event_filters ?? {}, kept ?? {});
}

/** The events as they are stored: names, each once in any notation, with their filters. */
function subscriptionOf(events: readonly GivenEvent[], filters: Filters, kept: Filters = {}): Subscription {
  const asked = new Map<string, { name: string; filters: (EventFilter | null)[] }>();
  for (const one of events) {
    const [name, filter] = typeof one === "string" ? [one, null] : [`${one.object_type}.${one.action}`, one.extra_filter ?? null];
    const pattern = eventPattern(name);
    if (pattern === null) throw invalid({ events: unknownEvent(name) });
    const known = asked.get(pattern);
    if (known === undefined) asked.set(pattern, { name, filters: [filter] });
    else known.filters.push(filter);
  }
  for (const name of Object.keys(filters))
    if (!asked.has(eventPattern(name) ?? "")) throw invalid({ [`event_filters.${name}`]: "is not among events" });

  const [given, before] = [byPattern(filters), byPattern(kept)];
  const found = [...asked].flatMap(([pattern, { name, filters: own }]) => {
    const filter = given.get(pattern) ?? either(own) ?? before.get(pattern);
    return filter === undefined ? [] : [[name, filter] as const];
  });
  const problem = tooMuch(found.map(([, filter]) => filter));
  if (problem !== null) throw invalid({ event_filters: problem });
  return {
    events: [...asked.values()].map(({ name }) => name),
    event_filters: found.length === 0 ? null : Object.fromEntries(found),
  };
}

const byPattern = (filters: Filters) => new Map(Object.entries(filters).map(([name, filter]) => [eventPattern(name), filter]));

/** An event that is listed twice is sent when either filter accepts it, or one has no filter. */
function either(filters: readonly (EventFilter | null)[]): EventFilter | null {
  const given = filters.filter((one) => one !== null);
  if (given.length < filters.length) return null;
  return given.length === 1 ? given[0]! : { type: "or", filters: given };
}
