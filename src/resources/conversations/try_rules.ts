// `POST /inbox_rule/try/`: what the rules make of a message that came in, and why. Nothing is changed.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { notFound } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { sql } from "../../db/sql.ts";
import { findRecords, getRecord } from "../../records/records.ts";
import { channelMessage } from "../activities/channel_message.ts";
import { email } from "../activities/email.ts";
import { sms } from "../activities/sms.ts";
import { applyRules, explainRules, type Incoming, type Rule } from "../inbox/apply_rules.ts";
import { applyToStranger, type WrittenRule } from "../inbox/held_back.ts";
import { inboxProspect } from "../inbox/inbox_prospect.ts";
import { inboxRule } from "../inbox/inbox_rule.ts";
import { incoming as fromStranger } from "../inbox/receive.ts";
import { lead } from "../leads/lead.ts";
import type { Message } from "./message.ts";
import { incoming } from "./rules.ts";

const checked = z.strictObject({
  field: z.string(),
  operator: z.string(),
  value: z.union([z.string(), z.array(z.string()), z.boolean()]),
  met: z.boolean(),
});

export const tryInboxRules = operation({
  name: "inbox_rule.try",
  method: "POST",
  path: "/inbox_rule/try/",
  doc: "Says what the inbox rules make of a message, rule by rule, and why. Nothing is changed, and no match is counted.",
  permission: "member",
  transaction: false,
  scope: "read",
  narrows: true,
  input: {
    message_id: z
      .string()
      .max(64)
      .describe("An e-mail, a text or a channel message, or a prospect, which is tried with its newest message."),
  },
  output: z.strictObject({
    message_id: z.string(),
    rules: z
      .array(
        z.strictObject({
          rule_id: z.string(),
          name: z.string(),
          position: z.int(),
          result: z
            .enum(["matched", "not_met", "excepted", "disabled", "stopped"])
            .describe("`stopped`: an earlier rule that matched let no later one run."),
          conditions: z.array(checked),
          exceptions: z.array(checked),
        }),
      )
      .describe("Those that you see, in the order in which they run."),
    held_back: z
      .array(z.strictObject({ rule_id: z.string(), action: z.string(), reason: z.string() }))
      .describe("Actions of rules that match which are not carried out, with the reason."),
    outcome: z.record(z.string(), z.unknown()).describe("What all rules together would do."),
  }),
  async run(ctx, { message_id }) {
    const { message, account_id } = await messageOf(ctx, message_id);
    const rules = (await findRecords(ctx, inboxRule, [sql`true`])) as unknown as (WrittenRule & { name: string })[];
    const told = explainRules(rules, message).map(({ rule, ...rest }) => {
      const { id: rule_id, name, position } = rule as Rule & { name: string };
      return { rule_id, name, position, ...rest };
    });
    const { outcome, held } =
      account_id === undefined
        ? { outcome: applyRules(rules, message), held: [] }
        : await applyToStranger(ctx, rules, message, account_id);
    return { message_id, rules: told, held_back: held, outcome: { ...outcome } };
  },
});

interface Tried {
  message: Incoming;
  /** Of a stranger's message: the mailbox that it came by, if it did. */
  account_id?: string | null;
}

/** As the rules see it. Throws a 404 for what is no message that the caller sees. */
async function messageOf(ctx: Ctx, id: string): Promise<Tried> {
  for (const kind of [email, sms, channelMessage]) {
    const [row] = (await findRecords(ctx, kind, [sql`t.id = ${id}`])) as unknown as (Message | undefined)[];
    if (row === undefined) continue;
    const { status_id } = await getRecord(ctx, lead, row.lead_id);
    return { message: incoming(row, false, status_id) };
  }
  const [prospect] = await findRecords(ctx, inboxProspect, [sql`t.id = ${id}`]);
  if (prospect === undefined) throw notFound();
  return { message: fromStranger(prospect), account_id: prospect.account_id };
}
