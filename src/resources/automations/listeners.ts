// Which automations listen to which events: kept in memory for each organization, so that an event that nothing listens to costs
// almost nothing. A stamp of what is in force is compared before the memory is trusted.
import { LRUCache } from "lru-cache";
import { type Ctx, transactionOf } from "../../core/context.ts";
import { pgTimestamp } from "../../values/time.ts";
import type { Plan } from "./fields.ts";
import { triggerTypes } from "./trigger_types.ts";
import type { TriggerType } from "./triggers/trigger_type.ts";

export interface Listener {
  automation_id: string;
  generation: number;
  /** Null while it is in force. */
  paused: { since: string; cancels: boolean } | null;
  version_id: string;
  version_number: number;
  /** Nothing from before it was published. */
  since: string;
  plan: Pick<Plan, "trigger" | "filter" | "settings">;
  trigger: TriggerType;
}

interface Index {
  stamp: string;
  byEvent: ReadonlyMap<string, readonly Listener[]>;
}

const kept = new LRUCache<string, Index>({ max: 1000 });
const catalog = new Map(triggerTypes.map((one) => [one.type, one]));

export async function listenersOf(ctx: Ctx): Promise<Index["byEvent"]> {
  const stamp = await stampOf(ctx);
  let index = kept.get(ctx.organization_id);
  if (index?.stamp !== stamp) {
    index = { stamp, byEvent: byEvent(await readListeners(ctx)) };
    kept.set(ctx.organization_id, index);
  }
  return index.byEvent;
}

async function stampOf(ctx: Ctx): Promise<string> {
  const [row] = await transactionOf(ctx).read({
    name: "automation.stamp",
    text: `select count(*) || ' ' || coalesce(sum(hashtextextended(concat(active_version_id, status, paused_at), 0)), 0) from automation
           where organization_id = $1 and status in ('active', 'paused') and active_version_id is not null`,
    values: [ctx.organization_id],
  });
  return row![0]!;
}

/** The automation with this id, if it is in force or paused. */
export async function listenerById(ctx: Ctx, id: string): Promise<Listener | null> {
  return (await readListeners(ctx, id))[0] ?? null;
}

async function readListeners(ctx: Ctx, id: string | null = null): Promise<Listener[]> {
  const rows = await transactionOf(ctx).read({
    name: "automation.listeners",
    text: `select a.id, a.generation, a.status, v.id, v.number, v.published_at, v.trigger, v.filter, v.settings, a.paused_at, a.in_flight
           from automation a join automation_version v on v.organization_id = $1 and v.id = a.active_version_id
           where a.organization_id = $1 and a.status in ('active', 'paused') and ($2::text is null or a.id = $2)`,
    values: [ctx.organization_id, id],
  });
  return rows.flatMap(
    ([automation_id, generation, status, version_id, number, published_at, trigger, filter, settings, ...pause]) => {
      const [paused_at, in_flight] = pause;
      const plan = {
        trigger: JSON.parse(trigger!),
        filter: filter === null ? null : JSON.parse(filter!),
        settings: JSON.parse(settings!),
      };
      const of = catalog.get(plan.trigger.type);
      if (of === undefined) return [];
      return {
        automation_id: automation_id!,
        generation: Number(generation),
        paused: status === "paused" ? { since: paused_at ? pgTimestamp(paused_at) : "", cancels: in_flight === "cancel" } : null,
        version_id: version_id!,
        version_number: Number(number),
        since: pgTimestamp(published_at!),
        plan,
        trigger: of,
      };
    },
  );
}

function byEvent(listeners: readonly Listener[]): Map<string, Listener[]> {
  const index = new Map<string, Listener[]>();
  for (const one of listeners) {
    for (const event of one.trigger.listens?.(one.plan.trigger.config) ?? []) {
      const those = index.get(event) ?? [];
      those.push(one);
      index.set(event, those);
    }
  }
  return index;
}
