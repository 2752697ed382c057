// Repeats steps for each element of a list, one after the other. The first step run of a loop keeps the list, the run keeps how far it
// is, and both are written with the step that moves on: whenever a worker ends, each element has its turn once.
import { z } from "zod";
import type { Ctx } from "../../../core/context.ts";
import type { Row } from "../../../core/resource.ts";
import { findAnyRecord } from "../../../records/records.ts";
import type { automationRun } from "../automation_run.ts";
import { isObject } from "../config.ts";
import { elementOf, isReference, type Loop, loopsOf } from "../loops.ts";
import { faultOf, StepFailure } from "../step_failure.ts";
import type { Call, Outcome } from "./step.ts";

type Run = Row<typeof automationRun>;

/** Of the turn for an element, and at the end of how many had one. */
export const loopOutput = z.object({
  index: z.int().describe("From 0."),
  count: z.int().describe("How many elements it goes through."),
  item: z.unknown(),
  skipped: z.int().describe("How many records were gone when it came to them."),
  left_out: z.int().describe("How many elements there were beyond `max`, which have no turn."),
});

const listMost = 256 * 1024;

export async function beginLoop({ ctx, run, step_id, config, written }: Call): Promise<Outcome> {
  const all = listIn(config.items, written.items);
  const items = all.slice(0, config.max);
  if (Buffer.byteLength(JSON.stringify(items)) > listMost)
    throw new StepFailure("items_too_large", "config", "The elements of items are longer than 256 KB together");
  const loop = {
    step_id,
    index: -1,
    count: items.length,
    skipped: 0,
    left_out: all.length - items.length,
    sequence: run.steps_executed + 1,
  };
  const outcome = await moveOn(ctx, loopsOf(run), loop, async (index) => items[index]);
  return { ...outcome, input: { items, max: config.max } };
}

/** Null when the run is not in this loop. Loops within it that were left by a failure are over. */
export async function nextTurn(ctx: Ctx, run: Run, stepId: string): Promise<Outcome | null> {
  const loops = loopsOf(run);
  const at = loops.findIndex(({ step_id }) => step_id === stepId);
  if (at < 0) return null;
  const loop = loops[at]!;
  const outcome = await moveOn(ctx, loops.slice(0, at), loop, (index) => elementOf(ctx, run.id, loop, index));
  return { ...outcome, input: {} };
}

/** A list, or what a step found. */
function listIn(items: unknown, written: unknown): unknown[] {
  if (Array.isArray(items)) return items;
  if (isObject(items) && Array.isArray(items.records)) return items.records;
  throw new StepFailure("config_invalid", faultOf(written), "items is neither a list nor what record.find found");
}

async function moveOn(
  ctx: Ctx,
  around: readonly Loop[],
  loop: Loop,
  itemAt: (index: number) => Promise<unknown>,
): Promise<Outcome> {
  const { count, left_out = 0 } = loop;
  let { skipped } = loop;
  for (let index = loop.index + 1; index < count; index++) {
    const item = await itemAt(index);
    if (isReference(item) && (await findAnyRecord(ctx, item.id)) === null) skipped++;
    else {
      const output = { index, count, item, skipped, left_out };
      return { port: "each", output, loops: [...around, { ...loop, index, skipped }] };
    }
  }
  return { port: "done", output: { index: count, count, item: null, skipped, left_out }, loops: around };
}
