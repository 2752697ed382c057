// Checks bulk e-mails and bulk subscriptions before they are stored.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Values } from "../../core/resource.ts";
import { getRecord } from "../../records/records.ts";
import { isBlank } from "../../values/blank.ts";
import { parseEmail } from "../../values/email.ts";
import { checkAddress, mailboxOf, sendersOf, usualMailbox } from "../accounts/senders.ts";
import { asPerson } from "../activities/recipients.ts";
import { user } from "../organization/user.ts";
import { checkNamed, type Named } from "../shared/named.ts";
import { canBeAssigned } from "../tasks/assignee.ts";
import { checkCallerId } from "../telephony/own_numbers.ts";
import { emailTemplate } from "../templates/email_template.ts";
import type { bulkEmail } from "./email.ts";
import type { bulkSequenceSubscription } from "./sequence_subscription.ts";

/** An e-mail is written from a template that the caller may see. */
export async function checkEmail(ctx: Ctx, given: Values<typeof bulkEmail>): Promise<Values<typeof bulkEmail>> {
  const { template_id, email_account_id } = given;
  if (!template_id) throw invalid({ template_id: "is required" });
  await checkNamed(ctx, [...named("template_id", "email_template", template_id)]);
  const template = await getRecord(ctx, emailTemplate, template_id);
  if (isBlank(template.body) || isBlank(given.subject || template.subject))
    throw invalid({ template_id: "names a template without a subject or without a text: write them first" });
  await checkSender(ctx, { account: ["email_account_id", email_account_id], address: ["sender", given.sender] });
  return given;
}

/** Refuses what no mailbox would send. */
export async function checkMailbox(ctx: Ctx, { sender, email_account_id = null }: Values<typeof bulkEmail>): Promise<void> {
  const from = { sender: sender ? asPerson(sender)!.email : null, email_account_id, send_as_id: null };
  if (usualMailbox(ctx, await sendersOf(ctx, ctx.actor.user_id), from) === null)
    throw invalid({ [email_account_id ? "email_account_id" : "sender"]: "has no mailbox that can send: connect one" });
}

/** A subscription must name a sequence. The sender is the caller by default. */
export async function checkSequenceSubscription(
  ctx: Ctx,
  given: Values<typeof bulkSequenceSubscription>,
): Promise<Values<typeof bulkSequenceSubscription>> {
  const { action_type, sequence_id, sender_account_id, sender_email, calls_assigned_to, from_phone_number_id } = given;
  if (!action_type) throw invalid({ action_type: "is required" });
  if (action_type === "subscribe" && !sequence_id) throw invalid({ sequence_id: "is required" });
  if (sender_email && parseEmail(sender_email, { allowLocalhost: true }) === null)
    throw invalid({ sender_email: "is not an e-mail address" });
  const nobody = (calls_assigned_to ?? []).some((id) => !canBeAssigned(ctx.directory, id));
  if (nobody) throw invalid({ calls_assigned_to: "must be active members and groups" });
  await checkSequence(ctx, sequence_id);
  await checkNamed(ctx, [...named("from_phone_number_id", "phone_number", from_phone_number_id)]);
  await checkSender(ctx, { account: ["sender_account_id", sender_account_id], address: ["sender_email", sender_email] });
  checkCallerId(ctx, from_phone_number_id, ctx.actor.user_id, "from_phone_number_id");
  if (action_type !== "subscribe" || sender_account_id) return given;
  const caller = ctx.directory.get(user, ctx.actor.user_id)!;
  return { ...given, sender_name: given.sender_name ?? caller.name, sender_email: sender_email ?? caller.email };
}

/** It may be deleted at any time. */
export const checkSequence = (ctx: Ctx, id: string | null | undefined): Promise<void> =>
  checkNamed(ctx, [...named("sequence_id", "sequence", id)]);

type Said = [field: string, value: string | null | undefined];

/** Bulk work sends in the name of the member who requests it. */
async function checkSender(ctx: Ctx, { account: [at, id], address: [place, address] }: Record<"account" | "address", Said>) {
  const me = ctx.actor.user_id;
  if (id) await mailboxOf(ctx, me, id, at);
  const parsed = address ? asPerson(address) : null;
  if (address && parsed === null) throw invalid({ [place]: "is not an e-mail address" });
  if (parsed !== null) await checkAddress(ctx, me, parsed.email, place);
}

const named = (at: string, resource: string, id: string | null | undefined): Named[] => (id ? [{ at, id, as: [resource] }] : []);
