// The events of one request, by the record that they are about.
import type { Ctx } from "../../core/context.ts";
import type { Resource } from "../../core/resource.ts";
import type { PastEvent } from "./changes_of.ts";

/** What happened to one record in one request. */
export interface Past {
  object_type: string;
  object_id: string;
  of: Resource;
  events: PastEvent[];
  isCreated: boolean;
  isDeleted: boolean;
}

/** By record, in the order of their first events. */
export function pastsOf(ctx: Ctx, events: readonly PastEvent[]): Past[] {
  return [...Map.groupBy(events, ({ object_id }) => object_id)].flatMap(([object_id, all]) => {
    const of = resourceOf(ctx, all.at(-1)!);
    if (of === undefined) return [];
    const has = (action: string) => all.some((one) => one.action === action);
    const [{ object_type }] = all as [PastEvent];
    return [{ object_type, object_id, of, events: all, isCreated: has("created"), isDeleted: has("deleted") }];
  });
}

/** The kind of the record. Kinds that share a table share their ids: then it is the one that has all their rows, if that has events. */
function resourceOf(ctx: Ctx, { object_id, object_type, data, previous_data }: PastEvent): Resource | undefined {
  const kinds = ctx.registry.resources.filter((one) => one.event !== null && object_id.startsWith(`${one.prefix}_`));
  const whole = kinds.filter((one) => one.only === undefined);
  const candidates = whole.length > 0 ? whole : kinds;
  return candidates.find((one) => one.event!({ ...previous_data, ...data }) === object_type) ?? candidates[0];
}
