// Finds suppressed recipients, in the transaction in which sending starts.
import type { Ctx } from "../../core/context.ts";
import { emailKey } from "../../values/email.ts";
import { type SuppressionReason, suppressedAmong } from "../contacts/unsubscribed_email.ts";
import { suppressed } from "./reasons.ts";
import type { Email } from "./sending.ts";
import type { Findings } from "./settle.ts";

/** The recipients who must not get it. The others still do. */
export async function unwanted(ctx: Ctx, mail: Email, to: readonly string[]): Promise<Findings> {
  const { bulk_email_action_id, automation_run_id, sequence_id } = mail;
  const scope = sequence_id ?? (bulk_email_action_id || automation_run_id ? "marketing" : "single");
  const reasonOf = await suppressedAmong(ctx, to, { channel: "email", scope });
  const date = ctx.now.toISOString();
  const held = to.filter((one) => reasonOf.has(emailKey(one)));
  return {
    receipts: held.map((one) => ({ to: [one], date, taken: false, reply: reasonOf.get(emailKey(one))! })),
    reasons: [...Map.groupBy(held, (one) => reasonOf.get(emailKey(one))!)].map(([why, those]: [SuppressionReason, string[]]) =>
      suppressed(those, why),
    ),
  };
}
