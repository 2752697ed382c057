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
  /** It was not there before, and is there after. */
  isCreated: boolean;
  /** It was there before, and is not there after. */
  isDeleted: boolean;
  /** It was there before, and is there after. */
  isChanged: boolean;
}

/** By record, in the order of their first events. */
export function pastsOf(ctx: Ctx, events: readonly PastEvent[]): Past[] {
  return [...Map.groupBy(events, ({ object_id }) => object_id)].flatMap(([object_id, all]) => {
    const of = resourceOf(ctx, all.at(-1)!);
    if (of === undefined) return [];
    const [{ object_type }] = all as [PastEvent];
    const { wasThere, isThere } = lifeOf(all);
    return [
      {
        object_type,
        object_id,
        of,
        events: all,
        isCreated: !wasThere && isThere,
        isDeleted: wasThere && !isThere,
        isChanged: wasThere && isThere,
      },
    ];
  });
}

/** A conversation is restored: it was only hidden. */
export const comings: ReadonlySet<string> = new Set(["created", "restored"]);

/** Whether a record was there before its events, and is there after them. */
export function lifeOf(events: readonly { action: string }[]): { wasThere: boolean; isThere: boolean } {
  const turns = events.map(({ action }) => action).filter((action) => action === "deleted" || comings.has(action));
  return { wasThere: !comings.has(turns[0] ?? ""), isThere: turns.at(-1) !== "deleted" };
}

/** The kind of the record. Kinds that share a table share their ids: then it is the one that has all their rows, if that has events. */
export function resourceOf(ctx: Ctx, event: PastEvent): Resource | undefined {
  const kinds = kindsFor(ctx, event);
  const whole = kinds.filter((one) => one.only === undefined);
  const candidates = whole.length > 0 ? whole : kinds;
  return candidates.find((one) => isOf(one, event)) ?? candidates[0];
}

/** The kind itself, such as a note, where it has rows of its own in that. */
export const kindOfEvent = (ctx: Ctx, event: PastEvent): Resource | undefined =>
  kindsFor(ctx, event).find((one) => one.only !== undefined && isOf(one, event)) ?? resourceOf(ctx, event);

const kindsFor = ({ registry }: Ctx, { object_id }: PastEvent): Resource[] =>
  registry.resources.filter((one) => one.event !== null && object_id.startsWith(`${one.prefix}_`));

const isOf = (one: Resource, { object_type, data, previous_data }: PastEvent): boolean =>
  one.event!({ ...previous_data, ...data }) === object_type;
