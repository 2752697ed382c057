// The loops that a run is in, and the elements that steps within them name as `item`.
import { type Ctx, query } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import type { automationRun } from "./automation_run.ts";
import { isObject } from "./config.ts";
import { type Facts, recordById, withRelated } from "./facts.ts";

type Run = Row<typeof automationRun>;

export type Loop = {
  step_id: string;
  /** Of the element whose turn it is. */
  index: number;
  count: number;
  skipped: number;
  /** Those beyond `max`; none in loops that began before they were counted. */
  left_out?: number;
  /** The place of the step run that keeps the list. */
  sequence: number;
};

/** The innermost last. */
export const loopsOf = ({ loops }: Run): readonly Loop[] => loops as Loop[];

/** A record that `record.find` found, or that a list names in the same way. */
export const isReference = (item: unknown): item is { id: string; object_type: string } =>
  isObject(item) && typeof item.id === "string" && typeof item.object_type === "string";

export async function elementOf(ctx: Ctx, runId: string, { sequence }: Loop, index: number): Promise<unknown> {
  const [row] = await query(ctx, {
    name: "automation_step_run.element",
    text: `select input->'items'->$4::int from automation_step_run where organization_id = $1 and run_id = $2 and sequence = $3 and status = 'succeeded'`,
    values: [ctx.organization_id, runId, sequence, index],
  });
  return row?.[0] == null ? null : JSON.parse(row[0]);
}

/** `item` and `item_index` of the innermost loop. A record is read as it is now; one that is gone is what is left of it in the list. */
export async function loopFacts(ctx: Ctx, run: Run, mentions: string): Promise<Pick<Facts, "item" | "item_index">> {
  const loop = loopsOf(run).at(-1);
  if (loop === undefined || !mentions.includes("item")) return {};
  const item = await elementOf(ctx, run.id, loop, loop.index);
  if (!isReference(item)) return { item, item_index: loop.index };
  const present = await withRelated(ctx, await recordById(ctx, item.id), mentions, "item");
  return { item: present === null ? item : { ...present, object_type: item.object_type }, item_index: loop.index };
}
