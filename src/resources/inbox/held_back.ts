// What rules do not carry out for a stranger's message, with the reason. A mailbox is its owner's: who does not share it cannot have
// its mail made a lead that everybody reads, by no rule.
import type { Ctx } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { connectedAccount } from "../accounts/connected_account.ts";
import { idsOfMember } from "../tasks/assignee.ts";
import { applyRules, does, type Incoming, type Outcome, type Rule } from "./apply_rules.ts";
import type { ActionType } from "./rule_grammar.ts";

/** A rule as it is stored. Whoever changed it last answers for it. */
export type WrittenRule = Rule & { updated_by: string | null };

export interface Held {
  rule_id: string;
  action: ActionType;
  reason: string;
}

/** `accountId` is the mailbox that the message came by. Null for texts and calls, whose numbers are the organization's. */
export async function applyToStranger(
  ctx: Ctx,
  rules: readonly WrittenRule[],
  message: Incoming,
  accountId: string | null,
): Promise<{ outcome: Outcome; held: Held[] }> {
  const closed = accountId === null ? new Set<string>() : await closedTo(ctx, rules, accountId);
  const allowed = rules.map((rule) =>
    closed.has(rule.id) ? { ...rule, actions: rule.actions.filter(isNot("create_lead")) } : rule,
  );
  const outcome = applyRules(allowed, message);
  const becomesLead = outcome.create_lead && !outcome.dismiss && !outcome.delete;
  const matched = rules.filter(({ id }) => outcome.matched.includes(id));
  const held = matched.flatMap((rule): Held[] => [
    ...(closed.has(rule.id) ? [{ rule_id: rule.id, action: "create_lead" as const, reason: notShared }] : []),
    ...(does(rule, "forward_to") && !becomesLead ? [{ rule_id: rule.id, action: "forward_to" as const, reason: noLead }] : []),
  ]);
  return { outcome: becomesLead ? outcome : { ...outcome, forward_to: [], forwarded_by: [] }, held };
}

const notShared =
  "create_lead: the mailbox is not shared with whoever wrote this rule: its owner writes the rule, or shares the mailbox";
const noLead = "forward_to: a message of somebody who is no contact is forwarded once it is at a lead: add create_lead";

const isNot =
  (type: ActionType) =>
  (action: { type: ActionType }): boolean =>
    action.type !== type;

/** The rules that would make leads of mail in a mailbox which their author does not share. */
async function closedTo(ctx: Ctx, rules: readonly WrittenRule[], accountId: string): Promise<Set<string>> {
  const makers = rules.filter((rule) => does(rule, "create_lead"));
  if (makers.length === 0) return new Set();
  const [account] = await findRecords(ctx, { ...connectedAccount, visible: undefined }, [sql`t.id = ${accountId}`]);
  const shares = (author: string): boolean => {
    const ids = idsOfMember(ctx.directory, author);
    return account !== undefined && [account.user_id, ...account.shared_with].some((id) => ids.includes(id));
  };
  return new Set(makers.filter(({ updated_by }) => updated_by === null || !shares(updated_by)).map(({ id }) => id));
}
