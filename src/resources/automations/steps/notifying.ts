// Tells members, in the service itself.
import { notify } from "../../notifications/notify.ts";
import type { Call, Outcome } from "./step.ts";

export function notifyUsers({ ctx, run, config }: Call): Outcome {
  const to = config.to.filter((one: unknown) => typeof one === "string");
  const told = notify(ctx, to, {
    type: "automation",
    title: config.text,
    object_type: run.object_type ?? "automation_run",
    object_id: run.object_id ?? run.id,
    lead_id: run.lead_id,
    actor_id: null,
    data: { automation_run_id: run.id, automation_id: run.automation_id },
  });
  return { output: { told: [...told] } };
}
