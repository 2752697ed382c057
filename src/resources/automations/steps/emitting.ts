// Writes events of the organization's own names into the log, where webhooks and waiting runs receive them.
import { z } from "zod";
import { emitCustom } from "../../../records/event.ts";
import { StepFailure } from "../step_failure.ts";
import type { Call, Outcome } from "./step.ts";

/** A webhook that wants it names it `custom.` and this. */
export const eventName = z
  .string()
  .max(100)
  .regex(/^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$/, { error: "must have only a-z, 0-9, _ and dots, such as order_ready" });

const payloadMost = 64 * 1024;

/** About the record of the run, so that whoever sees the record sees it. */
export function emitEvent({ ctx, run, config: { event_name, payload } }: Call): Outcome {
  if (Buffer.byteLength(JSON.stringify(payload)) > payloadMost)
    throw new StepFailure("payload_too_large", "config", "payload is longer than 64 KB");
  emitCustom(ctx, event_name, { object_id: run.object_id ?? run.id, lead_id: run.lead_id }, payload);
  return { output: { event: `custom.${event_name}` } };
}
