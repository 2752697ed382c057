// What e-mails to many and subscriptions of many must name, checked before they are stored.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Values } from "../../core/resource.ts";
import { parseEmail } from "../../values/email.ts";
import { user } from "../organization/user.ts";
import { checkNamed, type Named } from "../shared/named.ts";
import { canBeAssigned } from "../tasks/assignee.ts";
import type { bulkEmail } from "./email.ts";
import type { bulkSequenceSubscription } from "./sequence_subscription.ts";

/** An e-mail is written from a template that the caller may see. */
export async function checkEmail(ctx: Ctx, given: Values<typeof bulkEmail>): Promise<Values<typeof bulkEmail>> {
  const { template_id, email_account_id } = given;
  if (!template_id) throw invalid({ template_id: "is required" });
  await checkNamed(ctx, [
    ...named("template_id", "email_template", template_id),
    ...named("email_account_id", "connected_account", email_account_id),
  ]);
  return given;
}

/** Who subscribes names a sequence; the sender is the caller where nothing is said. */
export async function checkSequenceSubscription(
  ctx: Ctx,
  given: Values<typeof bulkSequenceSubscription>,
): Promise<Values<typeof bulkSequenceSubscription>> {
  const { action_type, sequence_id, sender_account_id, sender_email, calls_assigned_to } = given;
  if (!action_type) throw invalid({ action_type: "is required" });
  if (action_type === "subscribe" && !sequence_id) throw invalid({ sequence_id: "is required" });
  if (sender_email && parseEmail(sender_email) === null) throw invalid({ sender_email: "is not an e-mail address" });
  const nobody = (calls_assigned_to ?? []).some((id) => !canBeAssigned(ctx.directory, id));
  if (nobody) throw invalid({ calls_assigned_to: "must be active members and groups" });
  await checkNamed(ctx, [
    ...named("sequence_id", "sequence", sequence_id),
    ...named("sender_account_id", "connected_account", sender_account_id),
  ]);
  if (action_type !== "subscribe") return given;
  const caller = ctx.directory.get(user, ctx.actor.user_id)!;
  return { ...given, sender_name: given.sender_name ?? caller.name, sender_email: sender_email ?? caller.email };
}

const named = (at: string, resource: string, id: string | null | undefined): Named[] => (id ? [{ at, id, as: [resource] }] : []);
