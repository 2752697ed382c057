// What starts a run: an event of the log as it was, or a person. A run keeps it, because events are kept for a shorter time.
import type { Ctx } from "../../core/context.ts";
import { transactionOf } from "../../core/context.ts";
import { parseTextArray } from "../../values/text_array.ts";
import { pgTimestamp } from "../../values/time.ts";

export interface Occurrence {
  id: string | null;
  event: string;
  object_type: string | null;
  object_id: string | null;
  lead_id: string | null;
  user_id: string | null;
  api_key_id: string | null;
  /** The record after it, or for a deletion before it. */
  record: Record<string, unknown>;
  /** The values before, of the fields that changed. */
  previous: Record<string, unknown>;
  changed_fields: string[];
  meta: Record<string, unknown>;
  /** Of a call from another service. */
  headers?: Record<string, unknown>;
  /** What else came with it, for `trigger.payload`. */
  payload?: Record<string, unknown>;
  at: string;
}

/** The record is gone by then: only the event says what it was. */
export const isDeletion = ({ event }: Pick<Occurrence, "event">): boolean => event.endsWith(".deleted");

/** These events as they are stored, in the order of the ids given. */
export async function readOccurrences(ctx: Ctx, ids: readonly string[]): Promise<Occurrence[]> {
  if (ids.length === 0) return [];
  const rows = await transactionOf(ctx).read({
    name: "automation.occurrences",
    text: `select id, event, object_type, object_id, lead_id, user_id, api_key_id, changed_fields, previous_data, data, meta, date_created
           from event where organization_id = $1 and id = any($2)`,
    values: [ctx.organization_id, [...ids]],
  });
  const found = new Map(
    rows.map((row) => {
      const [id, event, object_type, object_id, lead_id, user_id, api_key_id, changed, previous_data, data, meta, at] = row;
      const [after, previous] = [JSON.parse(data!), JSON.parse(previous_data!)];
      const isDeleted = isDeletion({ event: event! });
      const one: Occurrence = {
        id: id!,
        event: event!,
        object_type: object_type!,
        object_id: object_id!,
        lead_id: lead_id!,
        user_id: user_id!,
        api_key_id: api_key_id!,
        record: isDeleted ? previous : after,
        previous: isDeleted ? {} : previous,
        changed_fields: parseTextArray(changed!),
        meta: JSON.parse(meta!),
        at: pgTimestamp(at!),
      };
      return [one.id, one];
    }),
  );
  return ids.flatMap((id) => found.get(id) ?? []);
}
