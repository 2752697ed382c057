// What creating and changing a webhook does besides writing the row.
import { randomBytes } from "node:crypto";
import { type Ctx, transactionOf, write } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Patch, Row, Values } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { newId } from "../../values/id.ts";
import { sealFor } from "../shared/sealed.ts";
import type { EventFilter } from "./event_filter.ts";
import { eventPattern, unknownEvent } from "./event_names.ts";
import { type GivenEvent, webhook } from "./webhook.ts";

type Webhook = Row<typeof webhook>;

const webhooksMax = 40;

export async function createWebhook(ctx: Ctx, given: Create<typeof webhook>): Promise<Webhook & { signature_key: string }> {
  const subscription = subscriptionOf(given.events!, given.event_filters ?? {});
  await refuseTooMany(ctx);

  const id = newId(webhook.prefix, ctx.now.getTime());
  const signature_key = `whsec_${randomBytes(32).toString("base64")}`;
  const sealed_signature_key = sealFor(ctx, webhook, id, "sealed_signature_key", signature_key);
  const row = store.insert(ctx, webhook, {
    ...given,
    ...subscription,
    ...stateOf(given.status, "active"),
    id,
    sealed_signature_key,
  });
  return { ...row, signature_key };
}

export async function updateWebhook(ctx: Ctx, before: Webhook, patch: Patch<typeof webhook>): Promise<Webhook> {
  return store.update(ctx, webhook, before, {
    ...patch,
    ...changedSubscription(before, patch),
    ...stateOf(patch.status, before.status),
  });
}

/** A fresh start for what is set active, also where it is so already; who pauses it is remembered. */
function stateOf(status: Webhook["status"] | undefined, before: Webhook["status"]): Values<typeof webhook> {
  if (status === "active") return { pause_reason: null, failing_since: null, latest_error: null, failed: 0 };
  return status === "paused" && before === "active" ? { pause_reason: "api" } : {};
}

// Counted under a lock, so that two at once do not both take the last place.
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

/** Events that stay subscribed to keep their filters; those of others go with them. */
function changedSubscription(before: Webhook, { events, event_filters }: Patch<typeof webhook>): Partial<Subscription> {
  if (events === undefined && event_filters === undefined) return {};
  const kept = event_filters === undefined ? before.event_filters : null;
  return subscriptionOf(events ?? before.events, event_filters ?? {}, kept ?? {});
}

/** The events as they are stored: names, each once whichever way it is spelled, with the filters they are to have. */
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
  return {
    events: [...asked.values()].map(({ name }) => name),
    event_filters: found.length === 0 ? null : Object.fromEntries(found),
  };
}

const byPattern = (filters: Filters) => new Map(Object.entries(filters).map(([name, filter]) => [eventPattern(name), filter]));

/** An event that is asked for twice is sent when either filter lets it through, or one of them is none. */
function either(filters: readonly (EventFilter | null)[]): EventFilter | null {
  const given = filters.filter((one) => one !== null);
  if (given.length < filters.length) return null;
  return given.length === 1 ? given[0]! : { type: "or", filters: given };
}
