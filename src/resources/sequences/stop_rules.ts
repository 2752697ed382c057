// What ends a subscription, or holds it, besides a reply by mail and a meeting.
import { z } from "zod";

export const stopRules = z.strictObject({
  reply_sms: z.boolean().default(true),
  call_answered: z.boolean().default(true),
  opportunity_won: z.boolean().default(true),
  lead_status_ids: z.array(z.string().max(64)).max(100).default([]),
  other_contact_replies: z.enum(["none", "pause", "stop"]).default("pause"),
});

export type StopRules = z.output<typeof stopRules>;

/** Those of a sequence that says nothing about them. */
export const rulesOf = ({ stop_rules }: { stop_rules: StopRules | null }): StopRules => stop_rules ?? stopRules.parse({});

export const outOfOffice = z.strictObject({
  action: z.enum(["pause_until_return", "ignore"]).default("pause_until_return"),
  default_days: z.int().min(1).max(365).default(14),
});
