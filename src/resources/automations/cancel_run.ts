// `POST /automation_runs/{id}/cancel/`: a run does nothing more. What it has done stays.
import { z } from "zod";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { lockRecord, showRecord } from "../../records/records.ts";
import { automationRun } from "./automation_run.ts";
import { cancelRun } from "./living_runs.ts";
import { isLiving } from "./run_turn.ts";

export const cancelAutomationRun = operation({
  name: "automation_run.cancel",
  method: "POST",
  path: "/automation_runs/{id}/cancel/",
  doc: "Cancels a run that is not over. Cancelled once more, it stays as it is.",
  permission: "manage_email_sequences",
  input: { id: z.string() },
  get output() {
    return outputSchema(automationRun);
  },
  async run(ctx, { id }) {
    const found = await lockRecord(ctx, automationRun, id);
    if (!isLiving(found) && found.status !== "cancelled") throw invalid({ status: `is ${found.status}: the run is over` });
    if (isLiving(found)) await cancelRun(ctx, found, "api");
    return showRecord(ctx, automationRun, id);
  },
});
