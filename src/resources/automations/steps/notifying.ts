// Tells members in the service itself, and by mail where the step says so.
import { notify } from "../../notifications/notify.ts";
import { group } from "../../organization/group.ts";
import { isActiveMember } from "../../organization/user.ts";
import { mailNow } from "../../system_mail/mail_now.ts";
import { StepFailure } from "../step_failure.ts";
import type { Call, Outcome } from "./step.ts";

export function notifyUsers({ ctx, run, config }: Call): Outcome {
  const to: string[] = config.to.filter((one: unknown) => typeof one === "string");
  const stranger = to.find((one) => !isActiveMember(ctx.directory, one) && ctx.directory.get(group, one) === undefined);
  if (stranger !== undefined) throw new StepFailure("user_inactive", "config", `${stranger} is no active member and no group`);
  const notice = {
    type: "automation",
    title: config.text,
    object_type: run.object_type ?? "automation_run",
    object_id: run.object_id ?? run.id,
    lead_id: run.lead_id,
    actor_id: null,
    data: { automation_run_id: run.id, automation_id: run.automation_id },
  } as const;
  const told = notify(ctx, to, notice);
  if (config.channels?.includes("email")) mailNow(ctx, told, notice);
  return { output: { told: [...told] } };
}
